package datadir_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/db/sqlite"
	"parley/internal/memory"
	"parley/internal/memory/datadir"
	"parley/internal/memory/memorytest"
)

// closed returns a folder with a database of n hundred messages that nobody holds
// open.
func closed(t testing.TB, n int) (dir, path string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "data")
	s, err := memory.Open(t.Context(), dir, memory.Options{})
	must(t, err)
	for i := range n {
		_, err := s.Accept(t.Context(), batch(1+i*100, 100))
		must(t, err)
	}
	must(t, s.Close())
	return dir, s.File.Path()
}

// root returns the page a table or index begins at.
func root(t testing.TB, path, name string) int64 {
	t.Helper()
	db := sqlite.Raw(path, "")
	defer func() { _ = db.Close() }()
	var page int64
	must(t, db.QueryRow("SELECT rootpage FROM sqlite_schema WHERE name = ?", name).Scan(&page))
	return page
}

// garble writes garbage over a page, the first of which is number 1.
func garble(t testing.TB, path string, page int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	junk := make([]byte, 4096)
	_, _ = rand.Read(junk)
	junk[0] = 0xee // no kind of page
	_, err = f.WriteAt(junk, (page-1)*4096)
	must(t, errors.Join(err, f.Close()))
}

// TestFaultDamageIsFound: whatever is wrong with a file, either the start
// refuses it or the check beside the writer turns health red, and both name
// the command that mends it.
func TestFaultDamageIsFound(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(t *testing.T, path string)
		want  string
	}{
		{"root of messages", func(t *testing.T, p string) { garble(t, p, root(t, p, "messages")) }, "messages"},
		{"root of inbox", func(t *testing.T, p string) { garble(t, p, root(t, p, "inbox")) }, "inbox"},
		{"middle of the file", func(t *testing.T, p string) {
			st, err := os.Stat(p)
			must(t, err)
			garble(t, p, st.Size()/4096/2)
		}, ""},
		{"an index", func(t *testing.T, p string) { garble(t, p, root(t, p, "outbox_open")) }, ""},
		{"first page", func(t *testing.T, p string) { garble(t, p, 1) }, ""},
		{"a table is gone", func(t *testing.T, p string) { exec(t, p, "DROP TABLE steps") }, "table steps is missing"},
		{"an index is gone", func(t *testing.T, p string) { exec(t, p, "DROP INDEX outbox_open") }, "index outbox_open is missing"},
		{"a column is gone", func(t *testing.T, p string) { exec(t, p, "ALTER TABLE settings RENAME COLUMN value TO valeu") },
			"table settings is not"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, path := closed(t, 5)
			tt.spoil(t, path)
			s, err := memory.Open(t.Context(), dir, memory.Options{})
			if err == nil {
				defer func() { _ = s.Close() }()
				var degraded *chat.DegradedError
				if err := s.File.Health(); !errors.As(err, &degraded) {
					t.Errorf("before the check: %v", err)
				}
				if err = s.File.Check(t.Context()); err == nil || s.File.Health() == nil || !errors.Is(s.File.Health(), datadir.ErrCorrupt) {
					t.Fatalf("check %v, health %v", err, s.File.Health())
				}
			}
			if !errors.Is(err, datadir.ErrCorrupt) || !strings.Contains(err.Error(), "bot restore") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A file that this start has made is well at once; one that was there is checked first.
func TestNewFileIsWell(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	for _, well := range []bool{true, false} {
		s, err := memory.Open(t.Context(), dir, memory.Options{})
		must(t, err)
		if err := s.File.Health(); (err == nil) != well {
			t.Errorf("well should be %v: %v", well, err)
		}
		must(t, s.Close())
	}
}

// objects returns what is in a schema, each as "table messages".
func objects(t *testing.T, path string) []string {
	t.Helper()
	db := sqlite.Raw(path, "mode=ro")
	defer func() { _ = db.Close() }()
	rows, err := db.Query("SELECT type || ' ' || name FROM sqlite_schema WHERE substr(name, 1, 7) <> 'sqlite_'")
	must(t, err)
	all, err := engine.Collect(rows, func(r engine.Scanner) (name string, err error) { return name, r.Scan(&name) })
	must(t, err)
	return all
}

// TestFaultDroppedTriggerIsNamed: every object that the migrations make and a
// file can lose is missed by name.
func TestFaultDroppedTriggerIsNamed(t *testing.T) {
	_, path := closed(t, 0)
	want := objects(t, path)
	whole, err := os.ReadFile(path)
	must(t, err)
	tried := map[string]int{}
	for _, object := range want {
		kind, name, _ := strings.Cut(object, " ")
		dir := filepath.Join(t.TempDir(), "data")
		must(t, os.Mkdir(dir, 0o700))
		copied := filepath.Join(dir, datadir.Name)
		must(t, os.WriteFile(copied, whole, 0o600))
		db := sqlite.Raw(copied, "")
		if _, err := db.Exec("DROP " + kind + " " + sqlite.Quoted(name)); err != nil {
			must(t, db.Close())
			continue // a part of another
		}
		must(t, db.Close())
		tried[kind]++
		if _, err := memory.Open(t.Context(), dir, memory.Options{}); !errors.Is(err, datadir.ErrCorrupt) ||
			!strings.Contains(err.Error(), object+" is missing") {
			t.Errorf("without %s: %v", object, err)
		}
	}
	if tried["table"] < 6 || tried["index"] < 6 || tried["trigger"] == 0 {
		t.Errorf("tried %v", tried)
	}
}

// TestFaultDamageMetAtRuntime: the first statement that meets damage turns
// health red, whoever made it and whether or not its error was looked at.
func TestFaultDamageMetAtRuntime(t *testing.T) {
	dir, path := closed(t, 5)
	s, err := memory.Open(t.Context(), dir, memory.Options{})
	must(t, err)
	defer func() { _ = s.Close() }()
	must(t, s.File.Check(t.Context()))
	must(t, s.File.Health())
	st, err := os.Stat(path)
	must(t, err)
	for page := int64(3); page <= st.Size()/4096; page++ {
		garble(t, path, page)
	}
	other, err := memory.Open(t.Context(), dir, memory.Options{}) // nothing of it is cached
	if err == nil {
		_ = other.Close()
		t.Fatal("all pages are garbage, and it opens")
	}
	rows, err := s.File.DB().QueryContext(t.Context(), "PRAGMA shrink_memory") // nor here
	must(t, err)
	must(t, rows.Close())
	rows, err = s.File.DB().QueryContext(t.Context(), "SELECT * FROM inbox")
	if err == nil {
		for rows.Next() {
		}
		_ = rows.Close()
	}
	if err := s.File.Health(); !errors.Is(err, datadir.ErrCorrupt) || !strings.Contains(err.Error(), "bot restore") {
		t.Errorf("health %v", err)
	}
}

// TestFaultDamageMetWhileReading: it shows as well in the middle of a result,
// behind pages that are sound.
func TestFaultDamageMetWhileReading(t *testing.T) {
	dir, path := closed(t, 5)
	s, err := memory.Open(t.Context(), dir, memory.Options{})
	must(t, err)
	defer func() { _ = s.Close() }()
	count := func(table string) (n int) {
		rows, err := s.File.DB().QueryContext(t.Context(), "SELECT * FROM "+table)
		must(t, err)
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			n++
		}
		return n // whoever reads may not ask why it ended
	}
	count("sqlite_schema") // so that what tables there are is known, and nothing else
	roots := map[int64]bool{}
	rows, err := s.File.DB().QueryContext(t.Context(), "SELECT rootpage FROM sqlite_schema")
	must(t, err)
	for rows.Next() {
		var page int64
		must(t, rows.Scan(&page))
		roots[page] = true
	}
	must(t, rows.Close())
	st, err := os.Stat(path)
	must(t, err)
	for page := st.Size() / 8192; page <= st.Size()/4096; page++ {
		if !roots[page] {
			garble(t, path, page)
		}
	}
	if n := count("inbox"); n == 0 || n == 500 {
		t.Fatalf("%d rows", n)
	}
	if err := s.File.Health(); !errors.Is(err, datadir.ErrCorrupt) || !strings.Contains(err.Error(), "bot restore") {
		t.Errorf("health %v", err)
	}
}

// TestFaultForeignDatabase: another program's file is refused before a byte of
// it, or beside it, is written.
func TestFaultForeignDatabase(t *testing.T) {
	for _, tt := range []struct{ name, make string }{
		{"a browser", "CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url TEXT); CREATE TABLE moz_origins (id); PRAGMA user_version = 77"},
		{"names like ours", "CREATE TABLE messages (id INTEGER PRIMARY KEY, body TEXT); CREATE TABLE sessions (id); CREATE " +
			"TABLE inbox (id); PRAGMA user_version = 3"},
		{"an application id", "PRAGMA application_id = 252006674; CREATE TABLE x (y)"},
		{"no tables", "PRAGMA user_version = 1"},
		{"with a log", "PRAGMA journal_mode = WAL; CREATE TABLE x (y)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			must(t, os.Chmod(dir, 0o700))
			path := filepath.Join(dir, datadir.Name)
			exec(t, path, tt.make)
			before, err := os.ReadFile(path)
			must(t, err)
			_, err = memory.Open(t.Context(), dir, memory.Options{})
			if !errors.Is(err, datadir.ErrForeign) || !strings.Contains(err.Error(), "--data") {
				t.Errorf("got %v", err)
			}
			after, err := os.ReadFile(path)
			must(t, err)
			list, err := os.ReadDir(dir)
			must(t, err)
			if string(before) != string(after) || len(list) != 1 {
				t.Errorf("changed: %v", list)
			}
		})
	}
}

// TestFaultForeignSignature: what says that it belongs to another program does,
// whatever its tables are.
func TestFaultForeignSignature(t *testing.T) {
	dir, path := closed(t, 0)
	exec(t, path, "PRAGMA application_id = 77")
	if _, err := memory.Open(t.Context(), dir, memory.Options{}); !errors.Is(err, datadir.ErrForeign) {
		t.Errorf("got %v", err)
	}
}

// TestOlderDatabaseIsSigned: our own files from before the signature are known
// by their tables, at every version there was, and get it.
func TestOlderDatabaseIsSigned(t *testing.T) {
	grown := filepath.Join(t.TempDir(), "grown.db") // a step at a time
	for version := 1; version <= len(memory.Migrations()); version++ {
		db := sqlite.Raw(grown, asWriter)
		must(t, memory.Migrations()[:version].Apply(t.Context(), db))
		must(t, db.Close())
		dir := t.TempDir()
		must(t, os.Chmod(dir, 0o700))
		path := filepath.Join(dir, datadir.Name)
		old, err := os.ReadFile(grown)
		must(t, err)
		must(t, os.WriteFile(path, old, 0o600))
		s, err := memory.Open(t.Context(), dir, memory.Options{})
		if err != nil {
			t.Fatalf("version %d: %v", version, err)
		}
		must(t, s.Close())
		if id, err := sqlite.ApplicationID(path); err != nil || id != datadir.ApplicationID {
			t.Errorf("version %d: signature %x, %v", version, id, err)
		}
	}
}

// TestFaultTruncatedLog: a log cut anywhere never makes a new database and
// never an unsound one that passes for sound.
func TestFaultTruncatedLog(t *testing.T) {
	memorytest.AboutFiles(t)
	s := memorytest.Open(t, memory.Options{})
	for i := range 3 {
		_, err := s.Accept(t.Context(), batch(1+i*100, 100))
		must(t, err)
	}
	file, err := os.ReadFile(s.File.Path())
	must(t, err)
	log, err := os.ReadFile(s.File.Path() + "-wal")
	must(t, err)
	for _, keep := range []int{0, 31, 4000, len(log) / 3, len(log) / 2, len(log) - 1} {
		t.Run(fmt.Sprint(keep), func(t *testing.T) {
			dir := t.TempDir()
			must(t, os.Chmod(dir, 0o700))
			path := filepath.Join(dir, datadir.Name)
			must(t, os.WriteFile(path, file, 0o600))
			must(t, os.WriteFile(path+"-wal", log[:keep], 0o600))
			s, err := memory.Open(t.Context(), dir, memory.Options{})
			if err != nil {
				if !errors.Is(err, datadir.ErrCorrupt) {
					t.Errorf("refused with %v", err)
				}
				return
			}
			defer func() { _ = s.Close() }()
			must(t, s.File.Check(t.Context()))
			_, err = s.Accept(t.Context(), batch(9000, 1))
			must(t, err)
		})
	}
}

// TestFaultFullDiskIsToldAndOver: a write that finds no room turns health red;
// it is green again by itself once there is room for something new.
func TestFaultFullDiskIsToldAndOver(t *testing.T) {
	memorytest.AboutFiles(t)
	s := memorytest.Open(t, memory.Options{MaxPages: 300})
	must(t, s.File.Check(t.Context()))
	must(t, s.File.Beat(t.Context()))
	next := 0
	for _, size := range []int{10, 1} { // where ten found no room, one may
		full := error(nil)
		for full == nil && next < 2000 {
			_, full = s.Accept(t.Context(), batch(next, size))
			next += size
		}
		if full == nil {
			t.Fatal("the disk was never full")
		}
	}
	if err := s.File.Health(); !errors.Is(err, datadir.ErrUnwritable) || !strings.Contains(err.Error(), "make room") {
		t.Errorf("health %v", err)
	}
	if err := s.File.Beat(t.Context()); !errors.Is(err, datadir.ErrUnwritable) {
		t.Errorf("a heartbeat on a full disk: %v", err)
	}
	must(t, s.File.DB().Write(t.Context(), func(tx *engine.Tx) error { _, err := tx.Exec("DELETE FROM inbox WHERE id <= 40"); return err }))
	if err := errors.Join(s.File.Beat(t.Context()), s.File.Health()); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

// TestCheckLetsWritersThrough: a check that reads for long holds up no write.
func TestCheckLetsWritersThrough(t *testing.T) {
	s := filled(t, 30)
	ctx, stop := context.WithCancel(t.Context())
	checks := make(chan error, 1)
	go func() {
		var err error
		for ctx.Err() == nil && err == nil {
			err = s.File.Check(context.Background())
		}
		checks <- err
	}()
	for i := range 20 {
		short, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		if _, err := s.Accept(short, batch(50000+i, 1)); err != nil {
			t.Error(err)
		}
		cancel()
	}
	stop()
	must(t, <-checks)
}

// BenchmarkOpen is what a start spends on the database, the look at its schema
// included.
func BenchmarkOpen(b *testing.B) {
	dir, _ := closed(b, 5)
	for b.Loop() {
		s, err := memory.Open(context.Background(), dir, memory.Options{})
		must(b, err)
		b.StopTimer()
		must(b, s.Close())
		b.StartTimer()
	}
}
