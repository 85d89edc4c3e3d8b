package playbook

import (
	"syscall"
	"time"
)

// changed returns when anything about a file changed last.
func changed(st *syscall.Stat_t) time.Time { return time.Unix(st.Ctim.Unix()) }
