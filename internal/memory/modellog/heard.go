package modellog

import (
	"context"

	"parley/internal/db/engine"
)

// heardSchema holds the number of the last request to forget, made by another process, that
// was done here. Older files lack the table.
const heardSchema = "CREATE TABLE IF NOT EXISTS heard (upto INTEGER NOT NULL)"

// Heard returns the number that Hear was given last, 0 for none.
func (t *Tape) Heard(ctx context.Context) (upto int64, err error) {
	if t == nil {
		return 0, nil
	}
	err = t.db.QueryRowContext(ctx, "SELECT coalesce(max(upto), 0) FROM heard").Scan(&upto)
	return upto, engine.During("read what was forgotten", err)
}

// Hear notes that all requests to forget up to a number were done.
func (t *Tape) Hear(ctx context.Context, upto int64) error {
	if t == nil {
		return nil
	}
	return engine.During("note what was forgotten", t.db.Write(ctx, func(tx *engine.Tx) error {
		if _, err := tx.Exec("DELETE FROM heard"); err != nil {
			return err
		}
		_, err := tx.Exec("INSERT INTO heard (upto) VALUES (?)", upto)
		return err
	}))
}
