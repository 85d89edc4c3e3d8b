package datadir

import (
	"context"
	"database/sql"
	"errors"

	"parley/internal/db/postgres"
)

// Half marks a database on a server that rows are being copied to: not all is there yet.
const Half = "half"

// ErrHalf says that copying rows to a database did not come to its end.
var ErrHalf = errors.New("rows were being copied to this database, and not all arrived: run bot migrate, or bot restore, once more")

// Whole marks a database on a server as completely copied.
func Whole(ctx context.Context, url string) error {
	return onServer(url, func(db *sql.DB) error {
		_, err := db.ExecContext(ctx, "UPDATE parley SET moved = '' WHERE moved = $1", Half)
		return err
	})
}

// Discard empties a database on a server that an earlier copy left half full; any other
// stays as it is.
func Discard(ctx context.Context, url string) error {
	return onServer(url, func(db *sql.DB) error { return discard(ctx, db) })
}

func discard(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	var half, free bool
	if err := tx.QueryRowContext(ctx, "SELECT to_regclass('parley') IS NOT NULL, pg_try_advisory_xact_lock($1)",
		int64(postgres.AloneKey)).Scan(&half, &free); err != nil || !half {
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
	err = tx.QueryRowContext(ctx,
		"SELECT string_agg(quote_ident(tablename), ', ') FROM pg_tables WHERE schemaname = current_schema() AND tablename "+
			"!~ '^(node_|parley)' AND tablename NOT IN ('secrets', 'heartbeat')").Scan(&names)
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
