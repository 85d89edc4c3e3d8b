package sqlite_test

import (
	"path/filepath"
	"testing"

	"parley/internal/db/engine"
	"parley/internal/db/engine/enginetest"
	"parley/internal/db/sqlite"
)

func TestContract(t *testing.T) {
	enginetest.Contract(t, func(t *testing.T) *engine.DB {
		db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "x.db"), sqlite.Options{Durable: true})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}, enginetest.Types{ID: "INTEGER PRIMARY KEY", Int: "INTEGER", Blob: "BLOB"})
}
