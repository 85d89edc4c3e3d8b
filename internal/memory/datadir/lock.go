package datadir

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"parley/internal/db/engine"
	"parley/internal/db/sqlite"
	"parley/internal/text"
	"parley/internal/text/machine"
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

// Held is a data folder that this process has to itself. Whoever closes it, or ends, gives it
// up. The lock is on the folder, which nobody deletes unnoticed, and on bot.lock, which says
// whose it is: earlier versions look only there, and some file systems lock no folders.
type Held struct {
	dir     string
	folder  *os.File // nil where it cannot be locked
	claimed string   // the database file that is open

	mu   sync.Mutex // guards file
	file *os.File
}

// Lock makes this process the data folder's only bot. An
// InUseError names the process that holds it. The lock goes with the process, however it dies.
// The caller closes what it returns, or exits.
func Lock(dir string) (*Held, error) {
	h := &Held{dir: dir}
	folder, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("lock data folder: %w", err)
	}
	switch err := machine.Lock(folder); {
	case errors.Is(err, machine.ErrHeld):
		_ = folder.Close()
		holder, _ := os.ReadFile(filepath.Join(dir, lockName))
		return nil, h.inUse(holder)
	case err != nil:
		_ = folder.Close()
	default:
		h.folder = folder
	}
	if h.file, err = h.lock(); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

func (h *Held) inUse(holder []byte) error {
	return &InUseError{Dir: h.dir, Holder: cmp.Or(firstLine(holder), "unknown")}
}

// lock locks bot.lock, which it makes where there is none.
func (h *Held) lock() (*os.File, error) {
	path := filepath.Join(h.dir, lockName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock data folder: %w", err)
	}
	if err := machine.Lock(f); err != nil {
		holder, _ := os.ReadFile(path)
		_ = f.Close()
		if errors.Is(err, machine.ErrHeld) {
			return nil, h.inUse(holder)
		}
		return nil, fmt.Errorf("lock data folder: %w", err)
	}
	// The number is for the message above, the file for displaced; on a full disk they may be
	// missing.
	if f.Truncate(0) == nil {
		_, _ = fmt.Fprintln(f, os.Getpid())
		if h.claimed != "" {
			_, _ = fmt.Fprintln(f, h.claimed)
		}
	}
	return f, nil
}

// Close gives the folder up.
func (h *Held) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var err error
	for _, f := range []*os.File{h.file, h.folder} {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}

// Still reports whether bot.lock has its name, so that others find it.
func (h *Held) Still() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return named(h.file, filepath.Join(h.dir, lockName))
}

// named reports whether a name is that of an open file.
func named(f *os.File, name string) bool {
	open, err := f.Stat()
	there, err2 := os.Stat(name)
	return err == nil && err2 == nil && os.SameFile(open, there)
}

// Keep makes bot.lock again where somebody deleted it, but in no other folder that got the
// name. An InUseError is that another process was faster and has the folder, too.
func (h *Held) Keep() error {
	if h.Still() || h.folder != nil && !named(h.folder, h.dir) {
		return nil
	}
	f, err := h.lock()
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	_ = h.file.Close()
	h.file = f
	return nil
}

func firstLine(b []byte) string {
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(line)
}

// Claim notes in a folder's lock which file its bot has open, for displaced.
func (f *File) Claim(lock *Held) {
	if len(f.place) > 0 {
		lock.claimed = f.place.String()
		_, _ = fmt.Fprintln(lock.file, lock.claimed) // on a full disk it may be missing
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
	if machine.LockShared(f) == nil {
		return nil // that bot has ended
	}
	return text.Tell("%w: %s is not the file that the running bot (process %s) has open: put that one back, or stop the "+
		"bot and put a backup in its place with bot restore FILE", engine.ErrGone, path, firstLine(b))
}
