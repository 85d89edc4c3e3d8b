package hooks

import (
	"context"
	"fmt"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// Delivery is one thing that a sender sent, however often it did.
type Delivery struct {
	Hook   string
	ID     string // the sender's name for it; "" for none
	Digest string // of its bytes
	// Signed is true if its bytes are signed and ID is not: then who saw one may send it
	// again under another name.
	Signed bool
	Place  chat.Key
	At     time.Time
}

// How long the same bytes without a name are the same delivery, and how long what came is
// known. The inbox knows its messages a day less than its own limit.
const (
	sameFor  = time.Hour
	knownFor = 30 * 24 * time.Hour
	heldFor  = 6 * 24 * time.Hour
)

// Over reports whether a delivery is too old for the inbox to know it: it was dealt with,
// and must not be stored there once more.
func (d Delivery) Over(now time.Time) bool { return now.Sub(d.At) > heldFor }

// Known returns a delivery as it was first seen, with an ID: a sender that saw no answer
// sends the same again.
func (s *Store) Known(ctx context.Context, d Delivery) (first Delivery, err error) {
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		now := s.now()
		since := now // the digest says nothing
		switch {
		case d.ID == "":
			since = now.Add(-sameFor)
		case d.Signed:
			since = time.Time{}
		}
		var ok bool
		first, ok, err = engine.Found(scanDelivery(tx.QueryRow(`SELECT hook, delivery, digest, platform, channel, thread, at FROM hook_deliveries
			WHERE hook = ? AND (delivery = ? OR digest = ? AND at > ?) ORDER BY at DESC LIMIT 1`, d.Hook, d.ID, d.Digest, engine.Stamp(since))))
		if err != nil || ok {
			return err
		}
		if first = d; first.ID == "" {
			first.ID = fmt.Sprintf("%s.%d", d.Digest, now.UnixMilli())
		}
		first.At = now
		_, err := tx.Exec("INSERT INTO hook_deliveries (hook, delivery, digest, platform, channel, thread, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
			d.Hook, first.ID, d.Digest, d.Place.Platform, d.Place.Channel, d.Place.Thread, engine.Stamp(now))
		return err
	})
	return first, engine.During("note a delivery", err)
}

func scanDelivery(r engine.Scanner) (d Delivery, err error) {
	err = r.Scan(&d.Hook, &d.ID, &d.Digest, &d.Place.Platform, &d.Place.Channel, &d.Place.Thread, engine.Stamped(&d.At))
	return d, err
}

// Came counts the deliveries of a hook that are known, and says when the last one came; the
// zero time for none.
func (s *Store) Came(_ context.Context, hook string) (n int, last time.Time, err error) {
	var at string
	err = s.db.QueryRow("SELECT count(*), coalesce(max(at), '') FROM hook_deliveries WHERE hook = ?", hook).Scan(&n, &at)
	return n, engine.ParseStamp(at), engine.During("count deliveries", err)
}

// Prune forgets deliveries that nobody sends again.
func (s *Store) Prune(ctx context.Context) error {
	return engine.During("prune deliveries", s.db.Exec(ctx, "DELETE FROM hook_deliveries WHERE at < ?",
		engine.Stamp(s.now().Add(-knownFor))))
}
