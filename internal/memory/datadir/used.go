package datadir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"parley/internal/db/sqlite"
	"parley/internal/text"
)

// usedName is a note that a data folder gets once a database was opened in it. Whatever
// else an operator puts there beforehand, this is none of it.
const usedName = "bot.used"

const usedNote = `This folder belongs to a bot of Parley, whose conversations are in bot.db.
As long as this note is here, no new database is begun in its place: bot restore FILE brings a backup back, bot run --fresh begins anew.
`

// ErrMissing says that the database of a used data folder is not there.
var ErrMissing = text.Tell("the database of this data folder is missing")

// mark notes that a folder has a database. Where that is in vain, the next start does it.
func mark(dir string) {
	f, err := os.OpenFile(filepath.Join(dir, usedName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return
	}
	_, _ = f.WriteString(usedNote) // on a full disk the name is enough
	_ = f.Close()
}

// Missing is why no database may be begun in a folder that had one; nil where it has one, and
// where it never did.
func Missing(dir string) error {
	path := filepath.Join(dir, Name)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if _, err := os.Stat(filepath.Join(dir, usedName)); errors.Is(err, os.ErrNotExist) && !sqlite.HasLog(path) {
		return nil
	}
	return text.Tell("%w: %s was here and is not; put it back, or a backup with bot restore FILE, or begin anew with bot run --fresh",
		ErrMissing, path)
}

// mayBegin makes room for a new database, or says why there may be none.
func mayBegin(path string, o Options) error {
	if !o.Fresh {
		return Missing(filepath.Dir(path))
	}
	if _, err := setAside(path, "missing"); err != nil { // a log of the one before
		return fmt.Errorf("begin anew: %w", err)
	}
	return nil
}
