package memory

import (
	"context"

	"parley/internal/db/chunked"
	"parley/internal/db/engine"
)

// tidied is how many pages of the index one step of Tidy rewrites.
const tidied = 200

// Tidy brings the parts that the index of what was said has grown together, so
// that each word is looked up in one: with a million messages a minute's work
// for a night. It yields to messages and may be cut short; what was done stays.
// What is in memory of messages is read again, without those that went.
func (s *Store) Tidy(ctx context.Context) error {
	s.meanings.Forget()
	if s.db.Path() == "" {
		return nil // a server looks after its indexes
	}
	pages := -tidied // the first step says that all parts are meant
	return during("tidy the index", chunked.Until(ctx, s.db, func(tx *engine.Tx) (left bool, err error) {
		var before, after int64
		if err := tx.QueryRow("SELECT total_changes()").Scan(&before); err != nil {
			return false, err
		}
		if _, err := tx.Exec("INSERT INTO messages_fts (messages_fts, rank) VALUES ('merge', ?)", pages); err != nil {
			return false, err
		}
		pages = tidied
		err = tx.QueryRow("SELECT total_changes()").Scan(&after)
		return after-before >= 2, err // one is the statement itself
	}))
}
