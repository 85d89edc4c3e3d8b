package datadir

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"parley/internal/db/engine"
	"parley/internal/db/sqlite"
	"parley/internal/text"
)

const lockName = "bot.lock"

// InUseError is that another process holds a data folder.
type InUseError struct {
	Dir    string
	Holder string // its number, as its machine counts
}

// Error implements error.
func (e *InUseError) Error() string {
	return fmt.Sprintf("the data folder %s is in use by another Parley (process %s): stop it, let this one wait for it "+
		"with bot run --standby, or give this one its own folder with --data", e.Dir, e.Holder)
}

// Lock makes this process the data folder's only bot. An
// InUseError names the process that holds it. The lock goes with the process, however it dies.
// The caller closes the returned file, or exits.
func Lock(dir string) (*os.File, error) {
	path := filepath.Join(dir, lockName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock data folder: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		holder, _ := os.ReadFile(path)
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, &InUseError{Dir: dir, Holder: firstLine(holder)}
		}
		return nil, fmt.Errorf("lock data folder: %w", err)
	}
	// The number is for the message above; on a full disk it may be missing.
	if f.Truncate(0) == nil {
		_, _ = fmt.Fprintln(f, os.Getpid())
	}
	return f, nil
}

func firstLine(b []byte) string {
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(line)
}

// Claim notes in a folder's lock which file its bot has open, for displaced.
func (f *File) Claim(lock *os.File) {
	if len(f.place) > 0 {
		_, _ = fmt.Fprintln(lock, f.place.String()) // on a full disk it may be missing
	}
}

// displaced returns an error while a bot runs on the folder with another file open than the
// one that is there now, or whose file is gone. The two would share one log.
func displaced(dir string) error {
	f, err := os.Open(filepath.Join(dir, lockName))
	if err != nil {
		return nil // no bot ever ran here
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, 1<<10))
	if err != nil {
		return fmt.Errorf("read the lock of the data folder: %w", err)
	}
	_, claimed, _ := strings.Cut(string(b), "\n")
	path := filepath.Join(dir, Name)
	now, _ := sqlite.PlaceOf(path) // none where nothing is
	if claimed = strings.TrimSpace(claimed); claimed == "" || claimed == now.String() {
		return nil
	}
	if syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) == nil {
		return nil // that bot has ended
	}
	return text.Tell("%w: %s is not the file that the running bot (process %s) has open: put that one back, or stop the "+
		"bot and put a backup in its place with bot restore FILE", engine.ErrGone, path, firstLine(b))
}
