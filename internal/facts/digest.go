package facts

import (
	"context"
	"database/sql"
	"time"

	"parley/internal/sqlite"
	"parley/internal/text"
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
	return sqlite.During("set digest", s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.Exec("INSERT INTO people (user_id, digest) VALUES (?, ?) ON CONFLICT DO UPDATE SET digest = excluded.digest", user, when)
		return err
	}))
}

// DigestOf is a person's digest.
func (s *Store) DigestOf(_ context.Context, user string) (Digest, error) {
	d := Digest{User: user}
	var sent string
	err := s.db.QueryRow("SELECT coalesce(max(digest), ''), coalesce(max(digest_at), '') FROM people WHERE user_id = ?", user).Scan(&d.When, &sent)
	d.Sent = sqlite.ParseStamp(sent)
	return d, sqlite.During("read digest", err)
}

// DueDigests are the digests of people about whom something was learned since
// they last heard.
func (s *Store) DueDigests(_ context.Context) ([]Digest, error) {
	rows, err := s.db.Query(`SELECT DISTINCT c.user_id, coalesce(p.digest, ''), coalesce(p.digest_at, '') FROM fact_changes c LEFT JOIN people p ON p.user_id = c.user_id
		WHERE c.learned AND c.at > coalesce(p.digest_at, '')`)
	if err != nil {
		return nil, sqlite.During("due digests", err)
	}
	list, err := sqlite.Collect(rows, func(r *sql.Rows) (d Digest, err error) {
		var sent string
		err = r.Scan(&d.User, &d.When, &sent)
		d.Sent = sqlite.ParseStamp(sent)
		return d, err
	})
	return list, sqlite.During("due digests", err)
}

// DigestSent notes that a person heard of changes.
func (s *Store) DigestSent(ctx context.Context, user string, list []Change) error {
	ids := make([]int64, len(list))
	for i, c := range list {
		ids[i] = c.ID
	}
	return sqlite.During("digest sent", s.db.Write(ctx, func(tx *sqlite.Tx) error {
		now := s.o.Now()
		if err := Told(tx, ids, now); err != nil {
			return err
		}
		_, err := tx.Exec("INSERT INTO people (user_id, digest_at) VALUES (?, ?) ON CONFLICT DO UPDATE SET digest_at = excluded.digest_at", user, sqlite.Stamp(now))
		return err
	}))
}

// Short is a fact in a digest.
func (c Change) Short() string { return text.Literal(text.Shorten(c.Fact.Content, maxTold)) }
