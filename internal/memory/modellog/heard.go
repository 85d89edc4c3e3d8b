package modellog

import (
	"context"

	"parley/internal/db/engine"
)

// heardSchema is how much of what other processes told to be forgotten was done here. Files
// of before have no such table.
const heardSchema = "CREATE TABLE IF NOT EXISTS heard (upto INTEGER NOT NULL)"

// Heard returns the number that Hear was given last, 0 for none.
func (t *Tape) Heard(ctx context.Context) (upto int64, err error) {
	if t == nil {
		return 0, nil
	}
	err = t.db.QueryRowContext(ctx, "SELECT coalesce(max(upto), 0) FROM heard").Scan(&upto)
	return upto, engine.During("read what was forgotten", err)
}

// Hear notes that everything up to a number was done that was told to be forgotten.
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

// ForgetAll deletes every call there is.
func (t *Tape) ForgetAll(ctx context.Context) error {
	over, err := t.forget(ctx, func(question) (map[int64]bool, error) { return nil, nil })
	if err != nil {
		return err
	}
	over()
	return nil
}
