package sqlite

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"errors"
	"io"
	"os"

	"parley/internal/text"
)

// Make builds a new file aside and gives it its name only when it is whole and on the disk,
// so that an empty or half-made file under that name always means damage. Nothing waits for
// the disk before that: whatever a killed process or a power failure leaves has no name yet.
// build gets one connection to a file that holds image: nil for an empty one, or a database whose
// journal_mode is delete, compressed with gzip. Another process that was faster wins; made is true
// if this one was.
//
// The file commits to a log from the beginning. Were it changed to that afterwards, as
// whoever opens it would do, SQLite would journal the change and wait for it.
func Make(ctx context.Context, path string, image []byte, build func(context.Context, *sql.DB) error) (made bool, err error) {
	f, err := text.Draft(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close(); _ = os.Remove(f.Name()) }()
	if image != nil {
		if err := unpack(f, image); err != nil {
			return false, err
		}
	}
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

// unpack writes what is compressed in packed.
func unpack(w io.Writer, packed []byte) error {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r) // as much as the program brings along
	return errors.Join(err, r.Close())
}
