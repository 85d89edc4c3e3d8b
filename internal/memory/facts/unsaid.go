package facts

import (
	"strings"

	"parley/internal/db/engine"
	"parley/internal/memory/sessions"
)

// Unsaid forgets the facts that were made from a message of v.User which was deleted, or
// which now says something else, "" if it was deleted. Facts that it still supports stay. The
// person is told with the next answer, and Undo brings a fact back. What is said now can be
// learned.
func (s *Store) Unsaid(tx *engine.Tx, v Viewer, messageID, said string) error {
	return s.unsay(tx, v, messageID, func(f Fact) bool { return supports(said, f) })
}

// UnsaidBeside is Unsaid for the facts that were made in the turn of another message,
// u.Message, which says beside and was answered together with the one that was changed: those
// are forgotten that only its old words support.
func (s *Store) UnsaidBeside(tx *engine.Tx, v Viewer, u sessions.Unsaying, beside string) error {
	return s.unsay(tx, v, u.Message, func(f Fact) bool { return supports(beside, f) || supports(u.Now, f) || !supports(u.Was, f) })
}

// unsay forgets the facts made from a message but those that are to stay.
func (s *Store) unsay(tx *engine.Tx, v Viewer, messageID string, stays func(Fact) bool) error {
	list, err := engine.Select(tx, scanFact, "SELECT "+factColumns+" FROM key_facts f WHERE f.platform = ? AND f.channel = ? "+
		"AND f.message_id = ? AND f.valid_to = ''", v.Key.Platform, v.Key.Channel, messageID)
	for _, f := range list {
		if err != nil || stays(f) {
			continue
		}
		if _, err = tx.Exec("UPDATE key_facts SET valid_to = ?, call_key = '' WHERE id = ?", engine.Stamp(s.o.Now()), f.ID); err == nil {
			_, err = s.note(tx, v, Change{Kind: Forgotten, Fact: f, Learned: true}, false)
		}
	}
	return engine.During("forget what is no longer said", err)
}

// supports reports whether somebody's words still say what was made a fact of: the quoted
// words, or without a quote nearly all words of the fact.
func supports(said string, f Fact) bool {
	if f.Quote != "" {
		return strings.Contains(sessions.Normal(said), sessions.Normal(f.Quote))
	}
	return said != "" && sessions.Says(said, f.Content)
}
