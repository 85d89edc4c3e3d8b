package resident

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Release returns memory that is not needed now to the system: free heap, what SQLite
// has freed, and the pages of our own code and constants.
func Release() {
	debug.FreeOSMemory()
	trim()
	Shed()
}

// Shed returns the pages of our own code and constants, many of which only startup ran
// through. They are never written, so whichever page is needed again is mapped again
// from the page cache.
func Shed() {
	for _, m := range own() {
		_ = unix.Madvise(m, unix.MADV_DONTNEED) // best effort
	}
}

// refined is how far Refine went.
var refined struct {
	sync.Mutex
	grain int // 0 is not at all
}

// Refine has the system map less of our code and constants at a time: grain bytes, a
// multiple of the size of a page. By itself it maps as much around whatever is touched
// as its page cache holds in one piece, and so all of the program before main begins. It
// never goes beyond the end of a mapping, and pieces with different flags are mappings
// of their own. (The flag keeps them out of core dumps, which hold none of them anyway.)
func Refine(grain int) {
	refined.Lock()
	defer refined.Unlock()
	for _, m := range own() {
		for at := 0; at < len(m); at += grain {
			odd := at/grain%2 == 1
			if was := refined.grain > 0 && at/refined.grain%2 == 1; odd == was {
				continue
			}
			advice := unix.MADV_DODUMP
			if odd {
				advice = unix.MADV_DONTDUMP
			}
			if unix.Madvise(m[at:min(at+grain, len(m))], advice) != nil {
				return // the system has no room for more mappings
			}
		}
	}
	refined.grain = grain
}

// own lists where our own code and constants are: what the program's file says is never
// written, where it is mapped.
var own = sync.OnceValue(func() (all [][]byte) {
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return nil
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return nil
	}
	constant := constants("/proc/self/exe")
	for line := range strings.Lines(string(maps)) {
		if !strings.HasSuffix(strings.TrimSuffix(line, "\n"), " "+self) {
			continue
		}
		var from, to uintptr
		var offset uint64
		var mode string
		if n, _ := fmt.Sscanf(line, "%x-%x %s %x", &from, &to, &mode, &offset); n == 4 && mode[1] == '-' && constant(offset, uint64(to-from)) {
			all = append(all, unsafe.Slice((*byte)(at(from)), to-from))
		}
	}
	return all
})

// constants returns whether a part of a program's file is one that nothing ever writes
// to, not even the loader.
func constants(path string) func(offset, size uint64) bool {
	never := func(uint64, uint64) bool { return false }
	f, err := os.Open(path)
	if err != nil {
		return never
	}
	defer func() { _ = f.Close() }()
	var head elf.Header64
	if binary.Read(f, binary.NativeEndian, &head) != nil || string(head.Ident[:4]) != elf.ELFMAG || head.Ident[elf.EI_CLASS] != byte(elf.ELFCLASS64) {
		return never
	}
	parts := make([]elf.Prog64, head.Phnum)
	if binary.Read(io.NewSectionReader(f, int64(head.Phoff), int64(head.Phnum)*int64(head.Phentsize)), binary.NativeEndian, &parts) != nil {
		return never
	}
	page := uint64(os.Getpagesize())
	return func(offset, size uint64) bool {
		return slices.ContainsFunc(parts, func(p elf.Prog64) bool {
			return elf.ProgType(p.Type) == elf.PT_LOAD && elf.ProgFlag(p.Flags)&elf.PF_W == 0 &&
				offset == p.Off/page*page && offset+size == (p.Off+p.Filesz+page-1)/page*page
		})
	}
}

// at returns an address of our own mapping as a pointer.
func at(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }
