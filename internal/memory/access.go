package memory

import (
	"context"
	"errors"
	"time"

	"parley/internal/chat"
	"parley/internal/engine"
)

// PruneAccess forgets codes and guesses that expired, and questions that
// expired a day ago: until then a late yes is told that it is late, and who
// presses a button again what was done.
func (s *Store) PruneAccess(ctx context.Context) error {
	return during("prune access", s.db.Write(ctx, func(tx *engine.Tx) error {
		now := s.now()
		_, e1 := tx.Exec("DELETE FROM codes WHERE expires_at <= ?", Stamp(now))
		_, e2 := tx.Exec("DELETE FROM attempts WHERE until <= ?", Stamp(now))
		_, e3 := tx.Exec("DELETE FROM questions WHERE state <> 'taken' AND expires_at <= ?", Stamp(now.Add(-24*time.Hour)))
		_, e4 := tx.Exec(dropWaiting, Stamp(now.Add(-keepWaiting)))
		return errors.Join(e1, e2, e3, e4)
	}))
}

// moveAccess carries what was decided about a channel to its new address,
// within the transaction that moves the rest. Buttons of open questions stay
// signed for the old address; yes and no in plain text work.
func moveAccess(tx *engine.Tx, mv chat.Move) error {
	from, to := mv.From, mv.To
	_, e1 := tx.Exec("UPDATE OR REPLACE policies SET channel = ? WHERE platform = ? AND channel = ?",
		to.Channel, from.Platform, from.Channel)
	_, e2 := tx.Exec("UPDATE OR REPLACE questions SET channel = ? WHERE platform = ? AND channel = ? AND (? = '' OR thread = ?)",
		to.Channel, from.Platform, from.Channel, from.Thread, from.Thread)
	_, e3 := tx.Exec("UPDATE OR REPLACE grants SET id = ? WHERE id = ?",
		chat.PlaceID(to), chat.PlaceID(from))
	_, e4 := tx.Exec("UPDATE OR REPLACE membership SET channel = ? WHERE platform = ? AND channel = ?",
		to.Channel, from.Platform, from.Channel)
	_, e5 := tx.Exec("UPDATE OR REPLACE allowances SET channel = ? WHERE platform = ? AND channel = ?",
		to.Channel, from.Platform, from.Channel)
	return during("move access", errors.Join(e1, e2, e3, e4, e5))
}

// during names what was being done in an error; nil stays nil.
func during(op string, err error) error { return engine.During(op, err) }
