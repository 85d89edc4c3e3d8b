package datadir

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"parley/internal/db/sqlite"
	"parley/internal/text"
)

// applicationID stands in the header of every database of ours: "Prly".
const applicationID = 0x50726c79

// sign writes it, and that the schema was found right.
func sign(ctx context.Context, db *sql.DB) error {
	digest, _, err := sqlite.Digest(ctx, db)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, fmt.Sprintf(`PRAGMA application_id = %d;
		INSERT INTO heartbeat (id, schema) VALUES (1, '%s') ON CONFLICT DO UPDATE SET schema = excluded.schema`, applicationID, digest))
	return err
}

// recognize refuses a database that another program made, before anything is
// written to it. Ours that is older than the signature is known by its tables.
func recognize(ctx context.Context, path string, ms sqlite.Migrations) error {
	switch id, err := sqlite.ApplicationID(path); {
	case err != nil:
		return err
	case id == applicationID:
		return nil
	case id == retiredID:
		return fmt.Errorf("%w: its rows are on a PostgreSQL server: name that in database.url, or bring them back with bot migrate --to sqlite",
			ErrMoved)
	case id != 0:
		return foreign(path, fmt.Sprintf("its application id is %d", id))
	}
	db := sqlite.Raw(path, untouched(path))
	defer func() { _ = db.Close() }()
	ours, tables, err := ms.Resembles(ctx, db)
	if err != nil {
		return err
	}
	if !ours {
		return foreign(path, "its tables are "+strings.Join(tables, ", "))
	}
	return nil
}

// foreign is the refusal of another program's file.
func foreign(path, sign string) error {
	return fmt.Errorf("%w (%s); nothing was changed: move %s away, or name another folder with --data", ErrForeign,
		text.Shorten(sign, 200), path)
}

// inspect compares the schema with what the migrations make, names what is
// missing, and reads the beginning of every table. What was compared is signed,
// so that the next start has it easier; signed says that it was before. Only a
// file that is whole is migrated.
func inspect(ctx context.Context, db *sql.DB, ms sqlite.Migrations) (signed bool, err error) {
	ctx = context.WithoutCancel(ctx) // else each statement takes the library a goroutine
	var version, id int
	if err := db.QueryRowContext(ctx, "SELECT user_version, application_id FROM pragma_user_version, pragma_application_id").Scan(&version,
		&id); err != nil {
		return false, err
	}
	if version > len(ms) {
		return true, nil // Apply says so
	}
	digest, tables, err := sqlite.Digest(ctx, db)
	if err != nil {
		return false, err
	}
	var known string
	err = db.QueryRowContext(ctx, "SELECT schema FROM heartbeat").Scan(&known)
	if damaged := sqlite.Explain(err); errors.Is(damaged, ErrCorrupt) {
		return false, fmt.Errorf("table heartbeat: %w", damaged)
	}
	if known != digest {
		if err := ms.Compare(ctx, db, version); err != nil {
			return false, err
		}
	}
	return known == digest && id == applicationID, sqlite.ReadEach(ctx, db, tables)
}
