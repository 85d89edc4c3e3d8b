package engine

import (
	"errors"
	"fmt"
)

// Errors that callers distinguish.
var (
	ErrNotFound   = errors.New("there is no such row")
	ErrClosed     = errors.New("the store is closed")
	ErrCorrupt    = errors.New("the database file is damaged")
	ErrConstraint = errors.New("a rule of the schema is broken")
	// ErrUnfit says that a value is none that the database can hold, or compute with.
	ErrUnfit = errors.New("the database cannot hold this")
	// ErrConflict says that other transactions were in the way: the same again may do.
	ErrConflict = errors.New("another transaction was in the way")
	// ErrLost says that the connection to the server is gone, or that there is none.
	ErrLost = errors.New("the database server cannot be reached")
	// ErrGone says that an open file was removed or replaced: what is written reaches nobody.
	ErrGone        = errors.New("the database is not where it was")
	ErrNewerSchema = errors.New("the database was written by a newer version of Parley")
)

// Hopeless reports whether a write will fail however often it is tried, because it
// breaks a rule of the schema, is none that fits there or meets a damaged page; a full
// disk is neither.
func Hopeless(err error) bool {
	return errors.Is(err, ErrConstraint) || errors.Is(err, ErrUnfit) || errors.Is(err, ErrCorrupt)
}

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
