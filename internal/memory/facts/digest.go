package facts

import (
	"context"
	"database/sql"
	"fmt"
	"parley/internal/text/catalog"
	"time"

	"parley/internal/db/engine"
)

// When somebody hears what was learned about them.
const (
	DigestOff     = "off"
	DigestDaily   = "daily"
	DigestSession = "session" // when a conversation ends
)

// Digests are the choices.
var Digests = []string{DigestOff, DigestDaily, DigestSession}

// Digest is what somebody chose, and when they last heard.
type Digest struct {
	User string
	When string    // one of Digests; "" is as the settings say
	Sent time.Time // zero for never
}

// SetDigest stores when a person hears what was learned.
func (s *Store) SetDigest(ctx context.Context, user, when string) error {
	return engine.During("set digest", s.db.Write(ctx, func(tx *engine.Tx) error {
		_, err := tx.Exec("INSERT INTO people (user_id, digest) VALUES (?, ?) ON CONFLICT (user_id) DO UPDATE SET digest = excluded.digest",
			user, when)
		return err
	}))
}

// DueDigests are the digests of people about whom something was learned since
// they last heard, in a session; "" is any.
func (s *Store) DueDigests(_ context.Context, session string) ([]Digest, error) {
	rows, err := s.db.Query(
		`SELECT DISTINCT c.user_id, coalesce(p.digest, ''), coalesce(p.digest_at, '') FROM fact_changes c LEFT JOIN people p ON p.user_id = c.user_id
		WHERE c.learned AND c.at > coalesce(p.digest_at, '') AND (:session = '' OR EXISTS (SELECT 1 FROM key_facts f WHERE f.id = c.fact_id AND f.session_id = :session))`,
		engine.Named{"session": session})
	if err != nil {
		return nil, engine.During("due digests", err)
	}
	list, err := engine.Collect(rows, func(r *sql.Rows) (d Digest, err error) {
		var sent string
		err = r.Scan(&d.User, &d.When, &sent)
		d.Sent = engine.ParseStamp(sent)
		return d, err
	})
	return list, engine.During("due digests", err)
}

// DigestSent notes that a person heard of changes, and of all there was to hear
// until then.
func (s *Store) DigestSent(ctx context.Context, user string, list []Change, until time.Time) error {
	ids := make([]int64, len(list))
	for i, c := range list {
		ids[i] = c.ID
	}
	return engine.During("digest sent", s.db.Write(ctx, func(tx *engine.Tx) error {
		if err := Told(tx, ids, s.o.Now()); err != nil {
			return err
		}
		_, err := tx.Exec("INSERT INTO people (user_id, digest_at) VALUES (?, ?) ON CONFLICT (user_id) DO UPDATE SET "+
			"digest_at = excluded.digest_at", user, engine.Stamp(until))
		return err
	}))
}

// Short is a fact in a digest, with what it replaces or disagrees with.
func (c Change) Short(p catalog.Printer) string {
	line := fmt.Sprintf("#%d %s", c.Fact.ID, quote(c.Fact.Content))
	switch {
	case c.Kind == Replaced && c.Was != "":
		line += " " + p.Say("(before: “%s”)", quote(c.Was))
	case c.Other.ID != 0:
		line += " " + p.Say("(it disagrees with #%d, “%s”)", c.Other.ID, quote(c.Other.Content))
	}
	return line
}
