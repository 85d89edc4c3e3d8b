package sqlite

import (
	"context"
	"errors"
	"time"
)

// Scrub rewrites the file without its free space, purges deleted text from the
// named full-text indexes, and empties the log: afterwards no byte of what was
// deleted is left. Other writes wait until it is done.
func (d *DB) Scrub(ctx context.Context, indexes ...string) error {
	err := d.Bare(ctx, func(tx *Tx) error {
		for _, t := range indexes {
			if _, err := tx.Exec("INSERT INTO " + t + " (" + t + ") VALUES ('optimize')"); err != nil {
				return err
			}
		}
		_, err := tx.Exec("VACUUM")
		return err
	})
	if err != nil {
		return err
	}
	return d.EmptyLog(ctx)
}

// EmptyLog carries what the log holds over into the file and empties it, so that
// it has no byte of what was deleted. An error says that it is still read.
func (d *DB) EmptyLog(ctx context.Context) error {
	for range 100 { // a reader holds the log's end for moments only
		err := d.Bare(ctx, d.emptyLog)
		if !errors.Is(err, ErrLogInUse) {
			return err
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return errors.New("the log is still read by somebody; it is emptied at the next stop")
}
