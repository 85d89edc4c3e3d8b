// Package memorytest opens real stores for the tests of other rooms. It fakes
// nothing: the database is SQLite on a temporary file.
package memorytest

import (
	"context"
	"path/filepath"
	"testing"

	"parley/internal/memory"
)

// Open returns a store in a new folder. It is closed with the test, which fails
// when that does.
func Open(t testing.TB, o memory.Options) *memory.Store {
	t.Helper()
	s, err := memory.Open(context.Background(), filepath.Join(t.TempDir(), "data"), o)
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
