//go:build !linux

package playbook

import (
	"syscall"
	"time"
)

// changed cannot be told everywhere: then two looks decide.
func changed(*syscall.Stat_t) time.Time { return time.Now() }
