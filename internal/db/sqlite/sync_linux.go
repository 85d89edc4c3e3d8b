package sqlite

import (
	"os"
	"syscall"
)

// syncs is a log whose syncs bring its bytes and its length to the disk, and not when it
// was written to last: where a log is used again from its beginning, that spares the file
// system a commit of its own journal.
type syncs struct{ *os.File }

// Sync implements syncer.
func (s syncs) Sync() error {
	for {
		if err := syscall.Fdatasync(int(s.Fd())); err != syscall.EINTR {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
