package sqlite

import (
	"errors"
	"fmt"

	"github.com/mattn/go-sqlite3"
)

// Errors that callers distinguish.
var (
	ErrNotFound    = errors.New("there is no such row")
	ErrClosed      = errors.New("the store is closed")
	ErrCorrupt     = errors.New("the database file is damaged")
	ErrNewerSchema = errors.New("the database was written by a newer version of Parley")
)

// code returns SQLite's number for an error; 0 when it is not from SQLite.
func code(err error) sqlite3.ErrNo {
	var se sqlite3.Error
	if errors.As(err, &se) {
		return se.Code
	}
	return 0
}

// Explain adds ErrCorrupt to SQLite's own errors about a damaged file.
func Explain(err error) error {
	if c := code(err); (c == sqlite3.ErrCorrupt || c == sqlite3.ErrNotADB) && !errors.Is(err, ErrCorrupt) {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return err
}

// IsDamage reports whether only another file fixes an error.
func IsDamage(err error) bool { return errors.Is(Explain(err), ErrCorrupt) }

// IsUnwritable reports whether the disk refused a write: it is full, fails or is
// read-only.
func IsUnwritable(err error) bool {
	switch code(err) {
	case sqlite3.ErrFull, sqlite3.ErrIoErr, sqlite3.ErrReadonly, sqlite3.ErrCantOpen:
		return true
	}
	return false
}

// IsFull reports whether the disk, or the limit of pages, is full.
func IsFull(err error) bool { return code(err) == sqlite3.ErrFull }

// IsConstraint reports whether a row breaks a rule of the schema.
func IsConstraint(err error) bool { return code(err) == sqlite3.ErrConstraint }

// During adds the operation to an error; nil stays nil.
func During(op string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", op, err)
}

// NoRow replaces "no row" by a word for people.
func NoRow(err, word error) error {
	if errors.Is(err, ErrNotFound) {
		return word
	}
	return err
}
