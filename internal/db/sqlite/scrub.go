package sqlite

import (
	"context"

	"parley/internal/db/engine"
)

// Scrub rewrites the file without its free space, purges deleted text from the
// named full-text indexes, and empties the log: afterwards no byte of what was
// deleted is left. Other writes wait until it is done.
func Scrub(ctx context.Context, d *engine.DB, indexes ...string) error {
	err := d.Bare(ctx, func(tx *engine.Tx) error {
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
