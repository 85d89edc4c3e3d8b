package text

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"parley/internal/text/machine"
)

// Names of drafts: path and draftMark, or oldDraft before, and digits.
const (
	draftMark = ".new-"
	oldDraft  = ".parley-"
)

// deadAfter is how long a draft that no lock tells about was not written when nobody
// makes it any more.
const deadAfter = time.Hour

// Draft makes an empty file beside path that becomes it when it is whole: Rename gives it
// the name. Only its owner can read it, and its maker's lock on it, which goes with the
// process, tells it from what a killed process left. That is swept away here. The caller
// closes it, after Rename, and removes it if it came to nothing.
func Draft(path string) (*os.File, error) {
	SweepDrafts(path)
	for range 10 {
		f, err := machine.CreateTemp(filepath.Dir(path), filepath.Base(path)+draftMark+"*") // of mode 0600
		if err != nil {
			return nil, err
		}
		if err := machine.Lock(f); !errors.Is(err, machine.ErrHeld) && there(f) {
			return f, nil // some file systems have no locks
		}
		_ = f.Close() // another process took it for a leftover before it was locked
		_ = os.Remove(f.Name())
	}
	return nil, fmt.Errorf("%s: drafts of it vanish", path)
}

// Unname takes a draft's name away: what is written to it goes with its maker, however that
// ends. It closes one that it cannot take it from.
func Unname(draft *os.File) error {
	err := os.Remove(draft.Name())
	if err != nil {
		_ = draft.Close()
	}
	return err
}

// there reports whether an open file still has its name.
func there(f *os.File) bool {
	open, err := f.Stat()
	named, err2 := os.Lstat(f.Name())
	return err == nil && err2 == nil && os.SameFile(open, named)
}

// SweepDrafts removes the drafts of path that nobody is making any more: they hold facts,
// conversations or tokens, and nothing else would ever delete them.
func SweepDrafts(path string) {
	list, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return // whoever needs the folder says why
	}
	for _, e := range list {
		if e.Type().IsRegular() && isDraft(e.Name(), filepath.Base(path)) {
			sweep(filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
}

// isDraft reports whether a name is that of a draft of base, or of what SQLite puts beside one.
func isDraft(name, base string) bool {
	digits, ours := strings.CutPrefix(name, base+draftMark)
	for _, part := range []string{"-wal", "-shm", "-journal"} {
		digits = strings.TrimSuffix(digits, part)
	}
	if !ours {
		digits, ours = strings.CutPrefix(name, oldDraft)
	}
	return ours && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// sweep removes a draft whose maker is dead.
func sweep(name string) {
	f, err := os.Open(name)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return
	}
	lock := machine.Lock(f)
	locks := lock == nil && !strings.HasPrefix(filepath.Base(name), oldDraft) // those were not locked
	if locks || !errors.Is(lock, machine.ErrHeld) && time.Since(info.ModTime()) > deadAfter {
		_ = os.Remove(name)
	}
}

// Rename gives a draft its name for good: it is put on the disk with its folder.
func Rename(draft, path string) error {
	if err := os.Rename(draft, path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder puts the names in a folder on the disk, where the file system can.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return nil // it may be written and not read
	}
	defer func() { _ = d.Close() }()
	if err := d.Sync(); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}
