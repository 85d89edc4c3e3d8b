package sqlite

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"parley/internal/db/engine"
)

// Place is where the file of a database lay, and its log, when they were opened. What is
// written after they were removed or replaced is gone with this process.
type Place []lying

type lying struct {
	path string
	file os.FileInfo
}

// PlaceOf looks where an open database lies.
func PlaceOf(path string) (p Place, err error) {
	for _, part := range []string{path, path + "-wal"} {
		st, err := os.Stat(part)
		if part != path && errors.Is(err, os.ErrNotExist) {
			continue // one without a log
		}
		if err != nil {
			return nil, err
		}
		p = append(p, lying{part, st})
	}
	return p, nil
}

// String names its files as the system does, the database first; "" for none.
func (p Place) String() string {
	names := make([]string, len(p))
	for i, was := range p {
		id := inodeOf(was.file)
		names[i] = fmt.Sprintf("%d:%d", id.dev, id.ino)
	}
	return strings.Join(names, " ")
}

// Still is nil while all of it is there, and ErrGone once something else is, or nothing. It
// opens nothing. What cannot be looked at is not known to be gone.
func (p Place) Still() error {
	for _, was := range p {
		now, err := os.Stat(was.path)
		if errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%w: %s was removed", engine.ErrGone, was.path)
		}
		if err == nil && !os.SameFile(was.file, now) {
			return fmt.Errorf("%w: %s is another file now", engine.ErrGone, was.path)
		}
	}
	return nil
}

// placed is a log that is only on the disk while it still has its place.
type placed struct {
	syncer
	place Place
}

// Sync implements syncer.
func (p placed) Sync() error { return errors.Join(p.syncer.Sync(), p.place.Still()) }
