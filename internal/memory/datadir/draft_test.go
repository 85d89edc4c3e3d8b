package datadir_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/memory"
	"parley/internal/memory/memorytest"
	"parley/internal/text"
)

// TestFaultLeftOverDrafts: copies that a killed process left, of this version
// or an earlier one, are gone after the next start. One that is being made and
// what is not ours stays.
func TestFaultLeftOverDrafts(t *testing.T) {
	dir, path := closed(t, 0)
	draft, err := text.Draft(path)
	must(t, err)
	defer func() { _ = draft.Close() }()
	st, err := draft.Stat()
	must(t, err)
	if st.Mode().Perm() != 0o600 {
		t.Errorf("a draft has mode %v", st.Mode())
	}
	for _, name := range []string{".new-4711", ".new-1", ".new-4711-wal", ".new-4711-shm", ".new-9-journal"} {
		must(t, os.WriteFile(path+name, []byte("somebody's words"), 0o644))
	}
	kept := []string{".new-year", ".new-4711.bak"}
	for _, name := range kept {
		must(t, os.WriteFile(path+name, nil, 0o600))
	}
	s, err := memory.Open(t.Context(), dir, memory.Options{})
	must(t, err)
	defer func() { _ = s.Close() }()
	left, err := filepath.Glob(path + ".new-*")
	must(t, err)
	if len(left) != len(kept)+1 || !strings.Contains(strings.Join(left, " "), draft.Name()) {
		t.Errorf("left over: %v", left)
	}
}

// TestDatabaseIsPrivateFromItsFirstByte: whatever the umask, nobody else can
// read a database, a backup or what they are made from.
func TestDatabaseIsPrivateFromItsFirstByte(t *testing.T) {
	memorytest.AboutFiles(t)
	s := filled(t, 1)
	file := filepath.Join(t.TempDir(), "copy.db")
	_, err := folder(filepath.Dir(s.File.Path())).Backup(t.Context(), file, false)
	must(t, err)
	for _, name := range []string{s.File.Path(), s.File.Path() + "-wal", s.File.Path() + "-shm", file} {
		st, err := os.Stat(name)
		must(t, err)
		if st.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", name, st.Mode())
		}
	}
}
