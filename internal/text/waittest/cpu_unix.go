//go:build unix

package waittest

import (
	"syscall"
	"time"
)

// CPU returns the processor time that this process has used, which other processes
// do not lengthen.
func CPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
