package datadir_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/db/engine"
	"parley/internal/memory"
	"parley/internal/memory/datadir"
)

// opened opens the database of a folder and closes it.
func opened(t *testing.T, dir string, o memory.Options) error {
	t.Helper()
	s, err := memory.Open(t.Context(), dir, o)
	if err != nil {
		return err
	}
	return s.Close()
}

// A folder that had a database begins none anew by itself, whatever else is left of it; one
// that an operator prepared does.
func TestUsedFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	must(t, os.Mkdir(dir, 0o700))
	for _, name := range []string{"bot.yaml", "bot.lock", "traces.db", "vault.db", "history"} {
		must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	must(t, datadir.Missing(dir))
	must(t, opened(t, dir, memory.Options{}))
	backup := filepath.Join(t.TempDir(), "copy.db")
	_, err := folder(dir).Backup(t.Context(), backup, false)
	must(t, err)
	path := filepath.Join(dir, datadir.Name)
	must(t, os.Remove(path))
	for range 2 { // refusing leaves nothing behind that would be taken for one
		if err := opened(t, dir, memory.Options{}); !errors.Is(err, datadir.ErrMissing) || !strings.Contains(err.Error(), "bot restore FILE") {
			t.Fatalf("a used folder without its database: %v", err)
		}
	}
	_, err = folder(dir).Restore(t.Context(), backup)
	must(t, err)
	must(t, opened(t, dir, memory.Options{}))
	must(t, os.Remove(path))
	must(t, opened(t, dir, memory.Options{Fresh: true}))
	must(t, opened(t, dir, memory.Options{}))
	must(t, os.Remove(path)) // as one that was moved to a server and is brought back
	must(t, folder(dir).Free())
	must(t, folder(dir).Replace(backup))
	must(t, opened(t, dir, memory.Options{}))
}

// The log of a database that is away is never taken for that of another.
func TestLogThatIsLeft(t *testing.T) {
	for name, next := range map[string]func(dir, backup string) error{
		"restored":  func(dir, backup string) error { _, err := folder(dir).Restore(t.Context(), backup); return err },
		"begun":     func(dir, _ string) error { return opened(t, dir, memory.Options{Fresh: true}) },
		"exchanged": func(dir, backup string) error { return folder(dir).Replace(backup) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			s, err := memory.Open(t.Context(), dir, memory.Options{})
			must(t, err)
			backup := filepath.Join(t.TempDir(), "copy.db")
			_, err = folder(dir).Backup(t.Context(), backup, false)
			must(t, err)
			_, err = s.Accept(t.Context(), batch(0, 20))
			must(t, err)
			path := filepath.Join(dir, datadir.Name)
			log, err := os.ReadFile(path + "-wal")
			must(t, err)
			must(t, s.Close())
			must(t, os.Remove(path))
			must(t, os.Remove(filepath.Join(dir, "bot.used"))) // as of an older version
			must(t, os.WriteFile(path+"-wal", log, 0o600))     // as after a kill
			if err := opened(t, dir, memory.Options{}); !errors.Is(err, datadir.ErrMissing) {
				t.Fatalf("beside a log: %v", err)
			}
			must(t, next(dir, backup))
			s, err = memory.Open(t.Context(), dir, memory.Options{})
			must(t, err)
			defer func() { _ = s.Close() }()
			must(t, s.File.Check(t.Context()))
			if n, err := s.Rows(t.Context(), "inbox"); n != 0 || err != nil {
				t.Errorf("%d rows of the old log, %v", n, err)
			}
		})
	}
}

// Nothing is acknowledged that is written where nobody finds it; once the file is back, all is
// well.
func TestGoneAndBack(t *testing.T) {
	for _, part := range []string{"", "-wal"} {
		t.Run("file"+part, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			s, err := memory.Open(t.Context(), dir, memory.Options{})
			must(t, err)
			defer func() { _ = s.Close() }()
			path := s.File.Path() + part
			must(t, os.Rename(path, path+".away"))
			if _, err := s.Accept(t.Context(), batch(0, 1)); !errors.Is(err, engine.ErrGone) {
				t.Errorf("acknowledged, or %v", err)
			}
			if err := s.File.Health(); !errors.Is(err, datadir.ErrUnwritable) {
				t.Errorf("health says %v", err)
			}
			if err := s.File.Beat(t.Context()); err == nil {
				t.Error("it is written to")
			}
			must(t, os.Rename(path+".away", path))
			must(t, s.File.Beat(t.Context()))
			must(t, s.File.Health())
			_, err = s.Accept(t.Context(), batch(1, 1))
			must(t, err)
			must(t, os.Rename(path, path+".away"))
			if s.File.Look(t.Context()); s.File.Health() == nil {
				t.Error("a look does not see it")
			}
			must(t, os.Rename(path+".away", path))
		})
	}
}
