package memory

import (
	"context"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/memory/access"
	"parley/internal/memory/agenda"
	"parley/internal/memory/cluster/lanes"
)

// keepWaiting is how long a private answer waits for its person to open the direct
// chat.
const keepWaiting = 24 * time.Hour

// waitingParts is their name in the cache of rows: the outbox table itself changes all
// the time.
const waitingParts = "outbox.waits_for"

// await sets a part aside until its person opens the direct chat.
func await(tx *engine.Tx, p chat.Part) error {
	tx.Changed(waitingParts)
	_, err := tx.Exec("UPDATE outbox SET state = 'dead', waits_for = ? WHERE id = ?"+lanes.Unsent, p.To.ID, p.Row)
	return err
}

// Closed notes that nothing can be sent to a part's conversation, and what that says
// about who is there. A reminder in that part is kept.
func (s *Store) Closed(ctx context.Context, p chat.Part, says chat.Presence) error {
	return during("close a conversation", s.db.Write(ctx, func(tx *engine.Tx) error {
		err := agenda.Unsaid(tx, p, s.now(), func(what string) bool { return chat.Nonce(s.salt, what, p.Index) == p.Nonce })
		if err != nil {
			return err
		}
		return access.Appear(tx, says, s.now())
	}))
}

// Opened makes ready what waited for m's author to open the direct chat that m
// was written in, addressed to it. It reports whether there was anything; the
// caller flushes the lane.
func (s *Store) Opened(ctx context.Context, m chat.Message) (bool, error) {
	const waiting = "waits_for = ? AND waits_for <> '' AND state = 'dead' AND at > ?"
	some, err := s.waiting.Get(struct{}{}, func() (some bool, err error) {
		err = s.db.QueryRow("SELECT EXISTS (SELECT 1 FROM outbox WHERE waits_for <> '')").Scan(&some)
		return some, err
	})
	if err != nil || !some {
		return false, during("look for waiting answers", err)
	}
	since := Stamp(s.now().Add(-keepWaiting))
	var n int64
	err = s.db.QueryRow("SELECT count(*) FROM outbox WHERE "+waiting, m.From.ID, since).Scan(&n)
	if err != nil || n == 0 {
		return false, during("look for waiting answers", err)
	}
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		n = 0
		return tx.Count(&n, `UPDATE outbox SET state = 'ready', waits_for = '', platform = ?, channel = ?, thread = ?
			WHERE `+waiting, m.Key.Platform, m.Key.Channel, m.Key.Thread, m.From.ID, since)
	})
	return n > 0, during("send waiting answers", err)
}

// dropWaiting empties parts that nobody came for.
const dropWaiting = "UPDATE outbox SET body = '', waits_for = '' WHERE waits_for <> '' AND at <= ?"
