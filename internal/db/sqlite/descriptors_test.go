package sqlite

import (
	"errors"
	"os"
	process "os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"parley/internal/db/engine"
)

// looksEnv has this test program be another program that looks whether a file is locked.
const looksEnv = "PARLEY_LOOKS_AT"

// Where SQLite locks a file that somebody reads, as its file format says.
const (
	sharedFirst = 0x40000000 + 2
	sharedSize  = 510
)

func TestLook(t *testing.T) {
	path := os.Getenv(looksEnv)
	if path == "" {
		t.Skip("another test runs it as a process of its own")
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	defer func() { _ = f.Close() }()
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Start: sharedFirst, Len: sharedSize}
	must(t, syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &lock))
	if lock.Type == syscall.F_UNLCK {
		t.Error("nobody reads it")
	}
}

// TestNothingDropsTheLocks: whatever reads a file as a file, or stops to, while it is open
// here, other programs see afterwards that it is: none takes itself for the last to close it,
// and deletes the log.
func TestNothingDropsTheLocks(t *testing.T) {
	for name, do := range map[string]func(path string, d *engine.DB) error{
		"nothing":       func(string, *engine.DB) error { return nil },
		"whole":         func(path string, _ *engine.DB) error { return Whole(path) },
		"id":            func(path string, _ *engine.DB) error { _, err := ApplicationID(path); return err },
		"writable":      func(path string, _ *engine.DB) error { return Writable(path) },
		"reserved":      func(path string, _ *engine.DB) error { return Reserve(path) },
		"another's end": func(path string, _ *engine.DB) error { return another(t, path) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "x.db")
			d, err := Open(t.Context(), path, Options{Durable: true})
			must(t, err)
			defer func() { _ = d.Close() }()
			must(t, d.Write(t.Context(), exec("CREATE TABLE t (x)")))
			must(t, do(path, d))
			look := process.Command(os.Args[0], "-test.run=^TestLook$")
			look.Env = append(os.Environ(), looksEnv+"="+path)
			if out, err := look.CombinedOutput(); err != nil {
				t.Errorf("%v, %s", err, out)
			}
		})
	}
}

// another opens the file once more, clears what nothing holds any more, and closes it.
func another(t *testing.T, path string) error {
	t.Helper()
	d, err := Open(t.Context(), path, Options{Durable: true})
	if err != nil {
		return err
	}
	step := d.ClearGaps()
	return errors.Join(d.Bare(t.Context(), func(tx *engine.Tx) error { _, err := step(tx); return err }), d.Close())
}

// TestNoConnectionIsLeftBehind: where a descriptor that rested cannot be closed, there is an
// error and no connection.
func TestNoConnectionIsLeftBehind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	f, err := os.Create(path)
	must(t, err)
	st, err := f.Stat()
	if err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	nowhere := inode{1, 1}
	descriptors.Lock()
	descriptors.resting[nowhere] = append(descriptors.resting[nowhere], f)
	descriptors.Unlock()
	if err := Raw(path, "").Ping(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("connected: %v", err)
	}
	descriptors.Lock()
	defer descriptors.Unlock()
	if n := descriptors.conns[inodeOf(st)]; n != 0 {
		t.Errorf("%d connections are left", n)
	}
}
