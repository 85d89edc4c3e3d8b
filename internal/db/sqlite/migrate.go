package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"path"

	"parley/internal/db/engine"
)

// Migration is one step forward; its number is its place in the list, from 1.
type Migration struct{ Name, SQL string }

// Migrations are all steps, in order.
type Migrations []Migration

// ReadMigrations reads the files of an embedded folder in the order of their
// names. It panics if they cannot be read: they were embedded at build time.
func ReadMigrations(files fs.FS, folder string) (ms Migrations) {
	entries, err := fs.ReadDir(files, folder) // sorted by name
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		b, err := fs.ReadFile(files, path.Join(folder, e.Name()))
		if err != nil {
			panic(err)
		}
		ms = append(ms, Migration{e.Name(), string(b)})
	}
	return ms
}

// Apply brings a file forward, each step in a transaction of its own with its
// number, so that a step killed half-way never happened. It refuses a file from
// the future with ErrNewerSchema and never goes back.
func (ms Migrations) Apply(ctx context.Context, db *sql.DB) error {
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	if version > len(ms) {
		return fmt.Errorf("%w (schema %d, this one knows %d): install the newer version again", engine.ErrNewerSchema, version, len(ms))
	}
	for n := version; n < len(ms); n++ {
		if err := step(ctx, db, n+1, ms[n]); err != nil {
			return fmt.Errorf("migrate to %s: %w", ms[n].Name, err)
		}
	}
	return nil
}

func step(ctx context.Context, db *sql.DB, number int, m Migration) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	// Another process may have been faster between the check and the lock.
	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version >= number {
		return nil
	}
	if _, err := tx.ExecContext(ctx, m.SQL); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", number)); err != nil {
		return err
	}
	return tx.Commit()
}
