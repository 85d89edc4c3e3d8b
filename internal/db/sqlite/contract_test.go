package sqlite_test

import (
	"path/filepath"
	"testing"

	"parley/internal/db/engine"
	"parley/internal/db/engine/enginetest"
	"parley/internal/db/sqlite"
	"parley/internal/text/waittest"
)

var must = waittest.Must

func TestContract(t *testing.T) {
	enginetest.Contract(t, func(t *testing.T) *engine.DB {
		db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "x.db"), sqlite.Options{Durable: true})
		must(t, err)
		return db
	}, enginetest.Types{ID: "INTEGER PRIMARY KEY", Int: "INTEGER", Blob: "BLOB"})
}
