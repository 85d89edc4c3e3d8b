package database

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// InUseError is that another process holds a data folder.
type InUseError struct {
	Dir    string
	Holder string // its number, as its machine counts
}

// Error implements error.
func (e *InUseError) Error() string {
	return fmt.Sprintf("the data folder %s is in use by another Parley (process %s): stop it, let this one wait for it with bot run --standby, or give this one its own folder with --data", e.Dir, e.Holder)
}

// Lock makes this process the data folder's only bot. An
// InUseError names the process that holds it. The lock goes with the process, however it dies.
// The caller closes the returned file, or exits.
func Lock(dir string) (*os.File, error) {
	path := filepath.Join(dir, "bot.lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock data folder: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		holder, _ := os.ReadFile(path)
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, &InUseError{Dir: dir, Holder: strings.TrimSpace(string(holder))}
		}
		return nil, fmt.Errorf("lock data folder: %w", err)
	}
	// The number is for the message above; on a full disk it may be missing.
	if f.Truncate(0) == nil {
		_, _ = fmt.Fprintln(f, os.Getpid())
	}
	return f, nil
}
