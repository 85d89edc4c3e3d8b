package datadir

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"parley/internal/db/sqlite"
	"parley/internal/text"
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
	if err := f.Free(); err != nil {
		return err
	}
	path := filepath.Join(f.Dir, Name)
	if _, err := setAside(path, "before-migrate"); err != nil {
		return err
	}
	return text.Rename(made, path)
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
