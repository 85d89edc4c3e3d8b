//go:build !linux

package playbook

import (
	"syscall"
	"time"
)

// changed is not available on every system; there, two looks at the file decide.
func changed(*syscall.Stat_t) time.Time { return time.Now() }
