package facts

import (
	"context"
	"fmt"
	"time"

	"parley/internal/db/engine"
	"parley/internal/text/catalog"
)

// When people are told what was learned about them.
const (
	DigestOff     = "off"
	DigestDaily   = "daily"
	DigestSession = "session" // when a conversation ends
)

// Digests lists the choices.
var Digests = []string{DigestOff, DigestDaily, DigestSession}

// Digest is a person's choice, and when they got the last digest.
type Digest struct {
	User string
	When string    // one of Digests; "" means the default in the settings
	Sent time.Time // zero for never
}

// SetDigest stores a person's choice.
func (s *Store) SetDigest(ctx context.Context, user, when string) error {
	return engine.During("set digest", s.db.Write(ctx, func(tx *engine.Tx) error { return setPerson(tx, user, "digest", when) }))
}

// DueDigests returns the digests of people about whom something was learned in a session
// since their last digest; session "" means any.
func (s *Store) DueDigests(_ context.Context, session string) ([]Digest, error) {
	list, err := engine.Select(s.db, func(r engine.Scanner) (d Digest, err error) {
		var sent string
		err = r.Scan(&d.User, &d.When, &sent)
		d.Sent = engine.ParseStamp(sent)
		return d, err
	}, `SELECT DISTINCT c.user_id, coalesce(p.digest, ''), coalesce(p.digest_at, '') FROM fact_changes c LEFT JOIN people p ON p.user_id = c.user_id
		WHERE c.learned AND c.kind <> 'forgotten' AND c.at > coalesce(p.digest_at, '') AND (:session = '' OR EXISTS (SELECT 1 FROM key_facts f WHERE f.id = c.fact_id AND f.session_id = :session))`,
		engine.Named{"session": session})
	return list, engine.During("due digests", err)
}

// Digested notes that a person is told some changes, in a digest of everything up to until.
func (s *Store) Digested(tx *engine.Tx, user string, list []Change, until time.Time) error {
	ids := make([]int64, len(list))
	for i, c := range list {
		ids[i] = c.ID
	}
	if err := Told(tx, ids, s.o.Now()); err != nil {
		return err
	}
	return setPerson(tx, user, "digest_at", engine.Stamp(until))
}

// Short returns a changed fact as a line of a digest, with the content that it replaces or
// contradicts.
func (c Change) Short(p catalog.Printer) string {
	line := fmt.Sprintf("#%d %s", c.Fact.Number, quote(c.Fact.Content))
	switch {
	case c.Kind == Replaced && c.Was != "":
		line += " " + p.Say("(before: “%s”)", quote(c.Was))
	case c.Other.ID != 0:
		line += " " + p.Say("(it disagrees with #%d, “%s”)", c.Other.Number, quote(c.Other.Content))
	}
	return line
}
