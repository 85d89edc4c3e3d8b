// Package memorytest opens real stores for the tests of other rooms. It fakes
// nothing: the database is SQLite on a temporary file or, where PARLEY_TEST_ENGINE says
// postgres, one of a PostgreSQL server.
package memorytest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"parley/internal/memory"
	"parley/internal/postgres/postgrestest"
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
	if Served() && o.URL == "" {
		o.URL = URL(t)
	}
	s, err := memory.Open(context.Background(), dir, o)
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
