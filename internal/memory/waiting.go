package memory

import (
	"context"
	"errors"
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

// keepClosed is how long what cannot be said is kept for a place that may open again.
const keepClosed = 7 * 24 * time.Hour

// Closed keeps a part to whose place nothing can be sent: until its person opens the direct
// chat, or until the place is open again. The reminder that a part was to say waits
// instead of the part. says is what it tells about who is there; nobody's is about none.
func (s *Store) Closed(ctx context.Context, p chat.Part, says chat.Presence) error {
	return during("close a conversation", s.db.Write(ctx, func(tx *engine.Tx) error {
		if err := s.Lanes.HoldPart(tx, p, chat.PartReady, nil); err != nil {
			return err
		}
		reminder, err := agenda.Unsaid(tx, p, s.now(), func(what string) bool { return chat.Nonce(s.salt, what, p.Index) == p.Nonce })
		switch {
		case err != nil:
			return err
		case reminder:
			_, err = tx.Exec("UPDATE outbox SET state = 'dead', body = '' WHERE id = ?"+lanes.Unsent, p.Row)
		case p.Await:
			err = await(tx, p)
		default:
			_, err = tx.Exec("UPDATE outbox SET state = 'ready', not_before = '', attempts = attempts + 1 WHERE id = ?"+lanes.Unsent, p.Row)
		}
		return errors.Join(err, access.Refused(tx, p, says, s.now()))
	}))
}

// TryAgain lets what is kept for a closed place be sent; see access.Register.TryAgain. What
// a webhook brings does not come from there.
func (s *Store) TryAgain(ctx context.Context, m chat.Message) (bool, error) {
	if m.Hook != "" {
		return s.Access.Place(m.Key).Closed(), nil
	}
	return s.Access.TryAgain(ctx, m.Key)
}

// dropClosed gives up parts that their place has not taken for long.
const dropClosed = "UPDATE outbox SET state = 'dead', body = '' WHERE id IN (SELECT o.id" + keptParts + " AND o.at <= ?)"

// keptParts are the parts o that wait for a closed place c.
const keptParts = ` FROM closed_places c CROSS JOIN outbox o WHERE o.platform = c.platform AND o.channel = c.channel AND
	c.thread IN ('', o.thread) AND c.state <> 'back' AND o.state IN ('ready', 'started')`

// KeptFor counts the parts that wait for closed places, by place.
func (s *Store) KeptFor(context.Context) (map[chat.Key]int, error) {
	kept := map[chat.Key]int{}
	_, err := engine.Select(s.db, func(row engine.Scanner) (k chat.Key, err error) {
		var n int
		err = row.Scan(&k.Platform, &k.Channel, &k.Thread, &n)
		kept[k] = n
		return k, err
	}, "SELECT c.platform, c.channel, c.thread, count(*)"+keptParts+" GROUP BY c.platform, c.channel, c.thread")
	return kept, during("count what waits for closed places", err)
}

// Matters reports whether something hangs on a channel that goes on when it is back: what
// was decided there, an agent, a conversation with the desk.
func (s *Store) Matters(_ context.Context, k chat.Key) (yes bool, err error) {
	err = s.db.QueryRow(`SELECT EXISTS (SELECT 1 FROM policies WHERE platform = :platform AND channel = :channel)
		OR EXISTS (SELECT 1 FROM grants WHERE id = :id)
		OR EXISTS (SELECT 1 FROM handoffs WHERE platform = :platform AND channel = :channel AND state IN ('waiting', 'taken'))
		OR EXISTS (SELECT 1 FROM handoffs WHERE desk_platform = :platform AND desk_channel = :channel AND state = 'taken')
		OR EXISTS (SELECT 1 FROM settings WHERE name = 'agents.bound' AND instr(value, :id) > 0)`,
		engine.Named{"platform": k.Platform, "channel": k.Channel, "id": chat.PlaceID(k)}).Scan(&yes)
	return yes, during("look what hangs on a place", err)
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
