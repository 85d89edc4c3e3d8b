package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"parley/internal/db/engine"
)

// Cache is a file that can be made again at any time. It has one version of a schema, and
// no migrations.
type Cache struct {
	Path    string
	Schema  string
	Version int
	Options
}

var errOtherVersion = errors.New("the file was made by another version")

// Open opens the file or makes a new one. It replaces a file that is damaged or has another
// version, and returns the reason as damage. The caller closes the DB.
func (c Cache) Open(ctx context.Context) (db *engine.DB, damage, err error) {
	db, err = c.try(ctx)
	if IsDamage(err) || errors.Is(err, errOtherVersion) {
		if damage, err = err, c.Remove(); err == nil {
			db, err = c.try(ctx)
		}
	}
	return db, damage, err
}

func (c Cache) try(ctx context.Context) (*engine.DB, error) {
	if err := c.reserve(ctx); err != nil {
		return nil, err
	}
	o := c.Options
	o.Prepare = c.prepare
	return Open(ctx, c.Path, o)
}

// reserve makes the file where nothing of it is there. What lies beside a missing one is for
// SQLite to clear away, which an empty file makes it do.
func (c Cache) reserve(ctx context.Context) error {
	for _, ending := range endings {
		if _, err := os.Stat(c.Path + ending); !errors.Is(err, fs.ErrNotExist) {
			return Reserve(c.Path)
		}
	}
	if _, err := Make(ctx, c.Path, nil, c.prepare); err != nil {
		return Reserve(c.Path) // where it cannot be made aside
	}
	return nil
}

// prepare makes or checks the schema, and then does what the options say.
func (c Cache) prepare(ctx context.Context, db *sql.DB) error {
	if err := c.check(ctx, db); err != nil || c.Prepare == nil {
		return err
	}
	return c.Prepare(ctx, db)
}

// endings are those of a file and what SQLite puts beside it.
var endings = []string{"", "-wal", "-shm", "-journal"}

// check makes the schema in a new file, or checks the version of an old one.
func (c Cache) check(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	var version, tables int
	err = tx.QueryRowContext(ctx, "SELECT user_version, (SELECT count(*) FROM sqlite_schema) FROM pragma_user_version").Scan(&version, &tables)
	switch {
	case err != nil:
		return err
	case tables > 0 && version != c.Version:
		return errOtherVersion
	case tables > 0:
		return nil
	}
	if _, err := tx.ExecContext(ctx, c.Schema+fmt.Sprintf("PRAGMA user_version = %d", c.Version)); err != nil {
		return err
	}
	return tx.Commit()
}

// Remove deletes the file with SQLite's files beside it. A missing file is no error.
func (c Cache) Remove() error {
	for _, ending := range endings {
		if err := os.Remove(c.Path + ending); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove %s: %w", c.Path, err)
		}
	}
	return nil
}
