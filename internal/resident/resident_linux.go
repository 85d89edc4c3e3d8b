package resident

import (
	"bufio"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Release returns memory that is not needed now to the system: free heap, and the pages
// of our own code and constants, many of which only startup ran through.
func Release() {
	debug.FreeOSMemory()
	shed()
}

// shed returns the pages of our own code and constants. They are never written, so
// whichever page is needed again is mapped again from the page cache.
func shed() {
	for _, m := range own() {
		_ = unix.Madvise(m, unix.MADV_DONTNEED) // best effort
	}
}

// own lists where our own code and constants are.
var own = sync.OnceValue(func() (all [][]byte) {
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return nil
	}
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	var from, to uintptr // the mapping that the lines are about; empty unless it is ours
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var a, b uintptr
		var mode string
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x %s", &a, &b, &mode); n == 3 {
			if from, to = a, a; mode[1] == '-' && strings.HasSuffix(lines.Text(), self) {
				to = b
			}
		}
		// Where the loader has filled in addresses, there are pages of our own
		// that the file does not have.
		if own, found := strings.CutPrefix(lines.Text(), "Anonymous:"); from < to && found && strings.TrimSpace(own) == "0 kB" {
			all = append(all, unsafe.Slice((*byte)(at(from)), to-from))
		}
	}
	return all
})

// at returns an address of our own mapping as a pointer.
func at(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }
