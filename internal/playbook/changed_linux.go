package playbook

import (
	"syscall"
	"time"
)

// changed returns when a file, or anything about it, last changed.
func changed(st *syscall.Stat_t) time.Time { return time.Unix(st.Ctim.Unix()) }
