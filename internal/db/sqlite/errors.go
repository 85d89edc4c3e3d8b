package sqlite

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/mattn/go-sqlite3"

	"parley/internal/db/engine"
)

// code returns SQLite's number for an error; 0 when it is not from SQLite.
func code(err error) sqlite3.ErrNo {
	if se, ok := errors.AsType[sqlite3.Error](err); ok {
		return se.Code
	}
	return 0
}

// Explain adds the engine's own error to SQLite's about a damaged file, and about a row
// that breaks a rule of the schema.
func Explain(err error) error {
	var known error
	switch code(err) {
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB:
		known = engine.ErrCorrupt
	case sqlite3.ErrConstraint:
		known = engine.ErrConstraint
	default:
		return err
	}
	if errors.Is(err, known) {
		return err
	}
	return fmt.Errorf("%w: %w", known, err)
}

// IsDamage reports whether only another file fixes an error.
func IsDamage(err error) bool { return errors.Is(Explain(err), engine.ErrCorrupt) }

// IsUnwritable reports whether the disk refused a write, of SQLite or while Make copied a file: it
// is full, fails or is read-only.
func IsUnwritable(err error) bool {
	switch code(err) {
	case sqlite3.ErrFull, sqlite3.ErrIoErr, sqlite3.ErrReadonly, sqlite3.ErrCantOpen:
		return true
	}
	return IsFull(err) || errors.Is(err, syscall.EIO) || errors.Is(err, syscall.EROFS)
}

// IsFull reports whether the disk, what one may have of it, or the limit of pages is full.
func IsFull(err error) bool {
	return code(err) == sqlite3.ErrFull || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// crowded adds to an error that this process, or the machine, has no file left to open, as
// syscall.EMFILE or ENFILE.
func crowded(err error) error {
	var e sqlite3.Error
	if errors.As(err, &e) && (e.SystemErrno == syscall.EMFILE || e.SystemErrno == syscall.ENFILE) {
		return fmt.Errorf("%w: %w", err, e.SystemErrno)
	}
	return err
}
