package datadir

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// draftMark stands between a file's name and the digits of its draft.
const draftMark = ".new-"

// newDraft makes an empty file beside path that becomes it when it is whole.
// Only its owner can read it, and its maker's lock on it tells it from what a
// killed process left, which is swept away here. The caller closes it.
func newDraft(path string) (*os.File, error) {
	sweep(path)
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+draftMark+"*") // of mode 0600
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		_ = os.Remove(f.Name())
		return nil, err
	}
	return f, nil
}

// sweep removes the drafts of path that nobody is making any more: they hold
// conversations.
func sweep(path string) {
	list, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return // whoever needs the folder says why
	}
	for _, e := range list {
		digits, ours := strings.CutPrefix(e.Name(), filepath.Base(path)+draftMark)
		for _, part := range []string{"-wal", "-shm", "-journal"} {
			digits = strings.TrimSuffix(digits, part)
		}
		if !ours || strings.Trim(digits, "0123456789") != "" || !e.Type().IsRegular() {
			continue
		}
		name := filepath.Join(filepath.Dir(path), e.Name())
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			_ = os.Remove(name)
		}
		_ = f.Close()
	}
}
