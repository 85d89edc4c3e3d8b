package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"os"

	"parley/internal/text"
)

// Make builds a new file aside and gives it its name only when it is whole and on the disk,
// so that an empty or half-made file under that name always means damage. Nothing waits for
// the disk before that: whatever a killed process or a power failure leaves has no name yet.
// build gets one connection to an empty file. Another process that was faster wins; made is
// true if this one was.
//
// The file commits to a log from the beginning. Were it changed to that afterwards, as
// whoever opens it would do, SQLite would journal the change and wait for it.
func Make(ctx context.Context, path string, build func(context.Context, *sql.DB) error) (made bool, err error) {
	f, err := text.Draft(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close(); _ = os.Remove(f.Name()) }()
	db := Raw(f.Name(), "_journal_mode=MEMORY&_synchronous=OFF")
	db.SetMaxOpenConns(1)
	err = build(ctx, db)
	if err == nil {
		_, err = db.ExecContext(ctx, "PRAGMA journal_mode = WAL")
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return false, err
	}
	if err := f.Sync(); err != nil {
		return false, err
	}
	err = os.Link(f.Name(), path)
	if errors.Is(err, os.ErrExist) {
		return false, nil
	}
	return err == nil, err
}
