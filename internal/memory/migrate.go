package memory

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"path"
	"slices"
)

//go:embed schema/*.sql
var schema embed.FS

// migration is one step forward; its number is its place in the list, from 1.
type migration struct {
	name string
	sql  string
}

// migrations returns the embedded steps in order.
func migrations() []migration {
	entries, err := schema.ReadDir("schema")
	if err != nil {
		panic(err) // embedded at build time
	}
	var ms []migration
	for _, e := range entries {
		b, err := schema.ReadFile(path.Join("schema", e.Name()))
		if err != nil {
			panic(err)
		}
		ms = append(ms, migration{e.Name(), string(b)})
	}
	slices.SortFunc(ms, func(a, b migration) int {
		if a.name < b.name {
			return -1
		}
		return 1
	})
	return ms
}

// migrate brings the file forward, each step in a transaction of its own with
// its number, so that a step killed half-way never happened. It refuses a file
// from the future and never goes back.
func migrate(ctx context.Context, db *sql.DB, ms []migration) error {
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	if version > len(ms) {
		return fmt.Errorf("%w (schema %d, this one knows %d): install the newer version again", ErrNewerSchema, version, len(ms))
	}
	for n := version; n < len(ms); n++ {
		if err := step(ctx, db, n+1, ms[n]); err != nil {
			return fmt.Errorf("migrate to %s: %w", ms[n].name, err)
		}
	}
	return nil
}

func step(ctx context.Context, db *sql.DB, number int, m migration) error {
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
	if _, err := tx.ExecContext(ctx, m.sql); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", number)); err != nil {
		return err
	}
	return tx.Commit()
}
