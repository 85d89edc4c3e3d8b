package database

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"parley/internal/postgres"
	"parley/internal/sqlite"
)

// retiredID stands in the header of a file whose rows live elsewhere: "PrlM".
const retiredID = 0x50726c4d

// ErrMoved says that the rows of a database live elsewhere now.
var ErrMoved = errors.New("this database was moved and is not used any more")

// Retire marks the file of a folder, so that nobody goes on with it: its rows are on a
// server now.
func (f Folder) Retire(ctx context.Context) error {
	conn, done, err := sqlite.Connect(ctx, filepath.Join(f.Dir, Name), "_journal_mode=DELETE&_synchronous=FULL")
	if err != nil {
		return err
	}
	defer done()
	_, err = conn.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", retiredID))
	return err
}

// Replace gives a folder a file that was made aside. One that was retired is kept under
// another name; any other is not replaced.
func (f Folder) Replace(made string) error {
	path := filepath.Join(f.Dir, Name)
	switch id, err := sqlite.ApplicationID(path); {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return err
	case id != retiredID:
		return fmt.Errorf("%s is in use: move it away, or name another folder with --data", path)
	default:
		if _, err := setAside(path, "before-migrate"); err != nil {
			return err
		}
	}
	return rename(made, path)
}

// Free says what stands in the way of Replace; nil is nothing.
func (f Folder) Free() error {
	path := filepath.Join(f.Dir, Name)
	id, err := sqlite.ApplicationID(path)
	if errors.Is(err, os.ErrNotExist) || err == nil && id == retiredID {
		return nil
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("%s is in use: move it away, or name another folder with --data", path)
}

// Half marks a database on a server that rows are being copied to: not all is there yet.
const Half = "half"

// ErrHalf says that copying rows to a database did not come to its end.
var ErrHalf = errors.New("rows were being copied to this database, and not all arrived: run bot migrate, or bot restore, once more")

// Whole says that all that was to be copied to a database on a server is there.
func Whole(ctx context.Context, url string) error {
	db, err := postgres.Raw(url)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "UPDATE parley SET moved = '' WHERE moved = $1", Half)
	return errors.Join(postgres.Explain(err), db.Close())
}

// Discard empties a database on a server that an earlier copy left half full; any other
// stays as it is.
func Discard(ctx context.Context, url string) (err error) {
	db, err := postgres.Raw(url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(postgres.Explain(err), db.Close()) }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	var half, free bool
	if err := tx.QueryRowContext(ctx, "SELECT to_regclass('parley') IS NOT NULL, pg_try_advisory_xact_lock($1)", int64(postgres.AloneKey)).Scan(&half, &free); err != nil || !half {
		return err
	}
	if err := tx.QueryRowContext(ctx, "SELECT moved = $1 FROM parley", Half).Scan(&half); err != nil || !half {
		return err
	}
	if !free {
		return postgres.ErrInUse
	}
	// What a new one has stays.
	var names string
	err = tx.QueryRowContext(ctx, "SELECT string_agg(quote_ident(tablename), ', ') FROM pg_tables WHERE schemaname = current_schema() AND tablename !~ '^(node_|parley)' AND tablename NOT IN ('secrets', 'heartbeat')").Scan(&names)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "TRUNCATE "+names+" RESTART IDENTITY"); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE parley SET moved = ''"); err != nil {
		return err
	}
	return tx.Commit()
}
