package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"parley/internal/db/engine"
	"parley/internal/db/sqlite"
)

func opened(t *testing.T, path string) *engine.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{Durable: true, Prepare: func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx,
			"CREATE TABLE IF NOT EXISTS roles (id TEXT PRIMARY KEY, role TEXT); CREATE TABLE IF NOT EXISTS other (id TEXT)")
		return err
	}})
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// TestKept: what was read is not read again until its table changes, here or in another
// process, and never is older than a change that somebody was told of.
func TestKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	db, elsewhere := opened(t, path), opened(t, path)
	kept, reads := engine.Keep[string, string](db, "roles"), 0
	get := func() string {
		t.Helper()
		role, err := kept.Get("a", func() (string, error) {
			reads++
			return db.Word("read", "SELECT role FROM roles WHERE id = ?", "a")
		})
		must(t, err)
		return role
	}
	write := func(db *engine.DB, query string) {
		t.Helper()
		err := db.Write(t.Context(), func(tx *engine.Tx) error { _, err := tx.Exec(query); return err })
		must(t, err)
	}
	for _, step := range []struct {
		do    func()
		role  string
		reads int
	}{
		{func() {}, "", 1},
		{func() {}, "", 1},
		{func() { write(db, "INSERT INTO roles VALUES ('a', 'member')") }, "member", 2},
		{func() { write(db, "INSERT INTO other VALUES ('a')") }, "member", 2},
		{func() { write(elsewhere, "UPDATE roles SET role = 'owner'"); write(db, "DELETE FROM other") }, "owner", 3},
		{func() { write(db, "DELETE FROM other") }, "owner", 3},
		{func() {
			_ = db.Bare(t.Context(), func(tx *engine.Tx) error { _, err := tx.Exec("DELETE FROM roles"); return err })
		}, "", 4},
		{func() {
			_ = db.Write(t.Context(), func(tx *engine.Tx) error { tx.Changed("roles"); return nil })
		}, "", 5},
	} {
		step.do()
		if role := get(); role != step.role || reads != step.reads {
			t.Errorf("%q after %d reads, want %q after %d", role, reads, step.role, step.reads)
		}
	}
	if _, err := engine.Keep[string, string](db, "roles").Get("a", func() (string, error) { return "", errors.New("no") }); err == nil {
		t.Error("an error is lost")
	}
}
