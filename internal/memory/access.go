package memory

import (
	"context"
	"errors"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// PruneAccess forgets codes and guesses that expired, and questions that
// expired a day ago: until then a late yes is answered as late, and a button pressed
// again with what was done.
func (s *Store) PruneAccess(ctx context.Context) error {
	return during("prune access", s.db.Write(ctx, func(tx *engine.Tx) error {
		now := s.now()
		_, e1 := tx.Exec("DELETE FROM codes WHERE expires_at <= ?", Stamp(now))
		_, e2 := tx.Exec("DELETE FROM attempts WHERE until <= ?", Stamp(now))
		_, e3 := tx.Exec("DELETE FROM questions WHERE state <> 'taken' AND expires_at <= ?", Stamp(now.Add(-24*time.Hour)))
		_, e4 := tx.Exec(dropWaiting, Stamp(now.Add(-keepWaiting)))
		_, e5 := tx.Exec(dropClosed, Stamp(now.Add(-keepClosed)))
		return errors.Join(e1, e2, e3, e4, e5)
	}))
}

// moveAccess moves what was decided about a channel to its new address, within the
// transaction that moves the rest. Buttons of open questions stay signed for the old
// address, which the address book maps to the new one.
func moveAccess(tx *engine.Tx, mv chat.Move) error {
	from, to := mv.From, mv.To
	if from.Channel == to.Channel {
		return nil
	}
	args := engine.Named{"platform": from.Platform, "from": from.Channel, "to": to.Channel, "thread": from.Thread,
		"grant": chat.PlaceID(from), "granted": chat.PlaceID(to)}
	return during("move access", tx.ExecAll(args, movedAccess...))
}

// movedAccess moves what was decided about :from to :to, replacing what was decided
// there.
var movedAccess = []string{
	"DELETE FROM policies WHERE platform = :platform AND channel = :to AND EXISTS (SELECT 1 FROM policies o WHERE " +
		"o.platform = :platform AND o.channel = :from)",
	"UPDATE policies SET channel = :to WHERE platform = :platform AND channel = :from",
	"UPDATE listening SET state = 'out' WHERE platform = :platform AND channel = :from AND user_id IN (SELECT user_id FROM listening " +
		"WHERE platform = :platform AND channel = :to AND state = 'out')",
	"DELETE FROM listening WHERE platform = :platform AND channel = :to AND user_id IN (SELECT user_id FROM listening " +
		"WHERE platform = :platform AND channel = :from)",
	"UPDATE listening SET channel = :to WHERE platform = :platform AND channel = :from",
	"INSERT INTO unasked SELECT day, platform, :to, n FROM unasked WHERE platform = :platform AND channel = :from " +
		"ON CONFLICT (day, platform, channel) DO UPDATE SET n = unasked.n + excluded.n",
	"DELETE FROM unasked WHERE platform = :platform AND channel = :from",
	"UPDATE questions SET channel = :to WHERE platform = :platform AND channel = :from AND (:thread = '' OR thread = :thread)",
	"DELETE FROM grants WHERE id = :granted AND EXISTS (SELECT 1 FROM grants o WHERE o.id = :grant)",
	"UPDATE grants SET id = :granted WHERE id = :grant",
	"DELETE FROM membership WHERE platform = :platform AND channel = :to AND user_id IN (SELECT user_id FROM membership " +
		"WHERE platform = :platform AND channel = :from)",
	"UPDATE membership SET channel = :to WHERE platform = :platform AND channel = :from",
	"DELETE FROM allowances WHERE platform = :platform AND channel = :to AND tool IN (SELECT tool FROM allowances WHERE " +
		"platform = :platform AND channel = :from)",
	"UPDATE allowances SET channel = :to WHERE platform = :platform AND channel = :from",
	"DELETE FROM titles WHERE id = :grant", // the new place tells its own
}

// during names what was being done in an error; nil stays nil.
func during(op string, err error) error { return engine.During(op, err) }
