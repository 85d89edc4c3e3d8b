package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// releaseStartup gives back the memory that only starting up needed: free heap,
// and the pages of our own code that initialization ran through. Only code: it
// is never written, so whichever page is needed again is mapped again from the
// page cache. (Read-only data holds relocations and would be lost.)
func releaseStartup() {
	debug.FreeOSMemory()
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var from, to uintptr
		var mode string
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x %s", &from, &to, &mode); err != nil {
			continue
		}
		if mode == "r-xp" && strings.HasSuffix(lines.Text(), self) {
			_ = unix.Madvise(unsafe.Slice((*byte)(at(from)), to-from), unix.MADV_DONTNEED) // best effort
		}
	}
}

// at is an address of our own mapping as a pointer; it is never kept.
func at(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }
