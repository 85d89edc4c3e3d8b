// Package memorytest opens real stores for the tests of other rooms. It fakes
// nothing: the database is SQLite on a temporary file or, where PARLEY_TEST_ENGINE says
// postgres, one of a PostgreSQL server.
package memorytest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"parley/internal/db/postgres/postgrestest"
	"parley/internal/memory"
)

// Engine names the variable that says on which engine stores are opened.
const Engine = "PARLEY_TEST_ENGINE"

// Served reports whether stores are opened on a server.
func Served() bool { return os.Getenv(Engine) == "postgres" }

// Open returns a store in a new folder. It is closed with the test, which fails
// when that does.
func Open(t testing.TB, o memory.Options) *memory.Store {
	t.Helper()
	return OpenIn(t, filepath.Join(t.TempDir(), "data"), o)
}

// OpenIn is Open with a folder.
func OpenIn(t testing.TB, dir string, o memory.Options) *memory.Store {
	t.Helper()
	s, err := Try(t, dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// databases are those that stand for folders on a server.
var databases sync.Map // folder -> URL

// Try opens a store as memory.Open does; on a server each folder stands for a database of
// its own, which the next store in the folder finds again. The caller closes it.
func Try(t testing.TB, dir string, o memory.Options) (*memory.Store, error) {
	t.Helper()
	if Served() && o.URL == "" {
		url, known := databases.Load(dir)
		if !known {
			url, _ = databases.LoadOrStore(dir, URL(t))
		}
		o.URL = url.(string)
	}
	return memory.Open(context.Background(), dir, o)
}

// AboutFiles skips a test of what SQLite does with its file.
func AboutFiles(t testing.TB) {
	t.Helper()
	if Served() {
		t.Skip("about SQLite's file")
	}
}

// URL is that of a new database on a PostgreSQL server, with the schema; the test is
// skipped where there is none.
func URL(t testing.TB) string {
	t.Helper()
	return postgrestest.Copy(t, "parley_schema", func(url string) error {
		s, err := memory.Open(context.Background(), "", memory.Options{URL: url})
		if err != nil {
			return err
		}
		return errors.Join(s.Close())
	})
}
