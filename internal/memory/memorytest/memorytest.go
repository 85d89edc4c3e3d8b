// Package memorytest opens real stores for the tests of other rooms. It fakes
// nothing: the database is SQLite on a temporary file or, where PARLEY_TEST_ENGINE says
// postgres, one of a PostgreSQL server.
package memorytest

import (
	"context"
	"path/filepath"
	"testing"

	"parley/internal/db/postgres/postgrestest"
	"parley/internal/memory"
)

// Where stores are opened: see postgrestest.
var (
	Served     = postgrestest.Served
	AboutFiles = postgrestest.AboutFiles
)

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

// Try opens a store as memory.Open does; on a server each folder stands for a database of
// its own, which the next store in the folder finds again. The caller closes it.
func Try(t testing.TB, dir string, o memory.Options) (*memory.Store, error) {
	t.Helper()
	if o.URL == "" {
		o.URL = postgrestest.InFolder(t, dir, schema)
	}
	return memory.Open(context.Background(), dir, o)
}

// URL is that of a new database on a PostgreSQL server, with the schema; the test is
// skipped where there is none.
func URL(t testing.TB) string {
	t.Helper()
	return postgrestest.Copy(t, "parley_schema", schema)
}

// schema makes a store's schema in a database.
func schema(url string) error {
	s, err := memory.Open(context.Background(), "", memory.Options{URL: url})
	if err != nil {
		return err
	}
	return s.Close()
}
