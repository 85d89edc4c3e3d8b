package memory

import (
	"context"

	"parley/internal/db/chunked"
	"parley/internal/db/engine"
	"parley/internal/memory/pgschema"
)

// tidied is how many pages of the index one step of Tidy rewrites.
const tidied = 200

// letGo drops what is kept in memory of messages that may be deleted by now.
func (s *Store) letGo() {
	s.meanings.Forget()
	s.orders.forget()
	s.lists.Forget()
}

// Tidy merges the segments of the full-text index of messages, so that each word is looked
// up in one: about a minute's work per night with a million messages. It yields to messages
// and may be cut short; what was done stays. Cached vectors of messages are dropped, and
// with them those of deleted messages.
func (s *Store) Tidy(ctx context.Context) error {
	s.letGo()
	if s.db.Path() == "" {
		return during("tidy the index", s.db.Exec(ctx, pgschema.Tidied)) // a server looks after the index itself
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
