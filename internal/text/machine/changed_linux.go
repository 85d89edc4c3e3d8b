package machine

import (
	"os"
	"syscall"
	"time"
)

// Changed returns when a file, or anything about it, last changed, which no program can set
// back.
func Changed(info os.FileInfo) time.Time {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return time.Now()
	}
	return time.Unix(st.Ctim.Unix())
}

// tcpUserTimeout is Linux' number for how long sent bytes may stay unacknowledged.
const tcpUserTimeout = 18

// Impatient ends a connection whose bytes nobody acknowledges for so many milliseconds.
func Impatient(socket uintptr, milliseconds int) {
	_ = syscall.SetsockoptInt(int(socket), syscall.IPPROTO_TCP, tcpUserTimeout, milliseconds)
}
