package datadir

import (
	"context"
	"errors"
	"testing"

	"parley/internal/db/engine"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/db/sqlite"
)

// While the server is away health says so as soon as anybody noticed, and that it is over
// once something was stored again.
func TestServerAwayIsNoticed(t *testing.T) {
	wire, url := postgrestest.NewProxy(t, postgrestest.Database(t))
	f, db, err := Open(t.Context(), "", Options{URL: url,
		Today:      "PRAGMA user_version = 1;\nCREATE TABLE heartbeat (id INTEGER PRIMARY KEY, at TEXT, room BLOB);",
		Migrations: sqlite.Migrations{{Name: "1", SQL: "SELECT 1"}}})
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	if err := f.Health(); errors.Is(err, ErrUnwritable) {
		t.Fatal(err)
	}
	wire.Down(true)
	write := func() error {
		return db.Write(context.Background(), func(tx *engine.Tx) error {
			_, err := tx.Exec("INSERT INTO heartbeat (at) VALUES ('')")
			return err
		})
	}
	if err := write(); !errors.Is(err, engine.ErrLost) || !errors.Is(f.Health(), ErrUnwritable) {
		t.Errorf("away: %v, and health is %v", err, f.Health())
	}
	wire.Down(false)
	if err := write(); err != nil || errors.Is(f.Health(), ErrUnwritable) {
		t.Errorf("back: %v, and health is %v", err, f.Health())
	}
}
