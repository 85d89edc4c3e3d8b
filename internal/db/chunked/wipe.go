package chunked

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/internal/db/engine"
)

// Index is a full-text index, with a column of it to write into.
type Index struct{ Name, Column string }

// Wipe leaves no byte in the file of what was deleted. Rows and entries of indexes
// were overwritten as they were deleted; what is left are words by which the
// pages of an index are found, copies of rows in the unused middle of pages, and
// the log. It may be called again at any time, after it was cut short as well.
func Wipe(ctx context.Context, db *engine.DB, indexes []Index) error {
	for _, ix := range indexes {
		if err := Rewrite(ctx, db, ix); err != nil {
			return err
		}
	}
	if err := Shrink(ctx, db); err != nil {
		return err
	}
	step := db.ClearGaps() // goes on where it was stopped
	return patiently(ctx, func() error { return UntilBare(ctx, db, step) })
}

// spare is a row that no index has.
const spare int64 = 9_000_000_000_000_000_000

// Rewrite writes an index anew, in small merges, without what was deleted. A
// single segment is never rewritten, so there is a second one with a row that is
// nothing's. Where a server holds the database, it looks after its indexes.
func Rewrite(ctx context.Context, db *engine.DB, ix Index) error {
	if db.Path() == "" {
		return nil
	}
	insert := "INSERT INTO " + ix.Name + " (rowid, " + ix.Column + ") VALUES (?, 'x')"
	drop := "INSERT INTO " + ix.Name + " (" + ix.Name + ", rowid, " + ix.Column + ") VALUES ('delete', ?, 'x')"
	merge := "INSERT INTO " + ix.Name + " (" + ix.Name + ", rank) VALUES ('merge', ?)"
	pages := -16 // the first merge takes in all there is
	err := Until(ctx, db, func(tx *engine.Tx) (left bool, err error) {
		if pages < 0 {
			if _, err := tx.Exec(insert, spare); err != nil {
				return false, err
			}
		}
		var before, after int64
		if err := tx.QueryRow("SELECT total_changes()").Scan(&before); err != nil {
			return false, err
		}
		if _, err := tx.Exec(merge, pages); err != nil {
			return false, err
		}
		pages = 16
		err = tx.QueryRow("SELECT total_changes()").Scan(&after)
		return after-before >= 2, err // the command itself is one
	})
	if err == nil {
		err = db.Exec(ctx, drop, spare)
	}
	if err != nil {
		return fmt.Errorf("rewrite %s: %w", ix.Name, err)
	}
	return nil
}

// patiently repeats what a reader is in the way of, for a minute at most.
func patiently(ctx context.Context, fn func() error) error {
	for range 600 {
		err := fn()
		if !errors.Is(err, engine.ErrLogInUse) {
			return err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return engine.ErrLogInUse
}
