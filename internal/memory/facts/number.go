package facts

import (
	"context"
	"slices"
	"strings"
	"time"

	"parley/internal/db/engine"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Which is how somebody names a fact. Numbers count in the book of each person, channel and
// server, so that a place may have one fact of a number besides a person's own.
type Which struct {
	// ID is the id of the row, as the control page has it; 0 goes by Number.
	ID     int64
	Number int64 // or Fact.RowKey
	Scope  Scope // only a fact of this scope; "" means any
	// Erasable finds a fact that waits for Undo, too, if no other has the number.
	Erasable bool
}

// mostMeant is how many facts of one number are named where somebody has to choose.
const mostMeant = 10

// Meant returns the key of the one fact that v can see and means. ErrNone says that there is
// none, as if nobody had any; where there are several, the error names them to people.
func (s *Store) Meant(_ context.Context, v Viewer, w Which) (int64, error) {
	if w.ID != 0 {
		return w.ID, nil // what uses the key looks whether v can see it
	}
	args := engine.Named{"number": provenance.Numbered(w.Number), "only": string(w.Scope), "limit": mostMeant}
	const end = "f.number = :number AND f.number > 0 AND (:only = '' OR f.scope = :only) ORDER BY f.scope DESC, f.subject LIMIT :limit"
	list, err := facts(s.db, v, end, args)
	if scope := visibleTo(v); err == nil && len(list) == 0 && w.Erasable && scope != "" {
		list, err = engine.Select(s.db, scanFact, "SELECT "+factColumns+" FROM key_facts f WHERE f.valid_to <> '' AND "+ForUndo+" AND "+scope+
			" AND "+end, v.Named(args))
	}
	list = slices.DeleteFunc(list, func(f Fact) bool { return !provenance.Fits(w.Number, f.RowKey()) })
	switch {
	case err != nil:
		return 0, engine.During("find fact", err)
	case len(list) == 0:
		return 0, ErrNone
	case len(list) > 1 && v.Operator:
		return 0, text.Tell("several people and places have a fact #%d:%s\nName one with --user", w.Number, sameNumber{list, v, s.o.Now()})
	case len(list) > 1:
		return 0, text.Tell("Several facts here are #%d:%s\nNothing was changed. Add %s to say which you mean.", w.Number,
			sameNumber{list, v, s.o.Now()}, choices(list))
	}
	return list[0].ID, nil
}

// choices are the words that tell facts of one number apart.
func choices(list []Fact) string {
	var words []string
	for _, f := range list {
		words = append(words, "scope:"+string(f.Scope))
	}
	return strings.Join(words, ", ")
}

// sameNumber are facts of one number, a line each. An error shows nobody else's words.
type sameNumber struct {
	list []Fact
	v    Viewer
	now  time.Time
}

// String implements catalog.Phrase.
func (a sameNumber) String() string { return a.In(catalog.Printer{}) }

// In implements catalog.Phrase.
func (a sameNumber) In(p catalog.Printer) string {
	var b strings.Builder
	for _, f := range a.list {
		if f.Heard().Outside(a.v.User) && !a.v.Operator {
			f.Content, f.Tags = "…", nil
		}
		b.WriteString("\n" + Line(p, f, a.now))
		if a.v.Operator {
			b.WriteString(" – " + f.Subject)
		}
	}
	return b.String()
}

// moveBook puts the book of a channel behind the one that its new address has: the numbers
// of what moves grow by the last there. That is 0, and all keep theirs, unless something was
// remembered there before the move was known.
func moveBook(tx *engine.Tx, from, to string) (grow int64, err error) {
	const last = "SELECT coalesce(max(last), 0) FROM numbers WHERE kind = 'channel' AND book = ?"
	var moved int64
	if err := tx.QueryRow(last, from).Scan(&moved); err != nil || moved == 0 {
		return 0, err
	}
	if err := tx.QueryRow(last, to).Scan(&grow); err != nil {
		return 0, err
	}
	if _, err := tx.Exec("DELETE FROM numbers WHERE kind = 'channel' AND book IN (?, ?)", from, to); err != nil {
		return 0, err
	}
	_, err = tx.Exec("INSERT INTO numbers (kind, book, last) VALUES ('channel', ?, ?)", to, grow+moved)
	return grow, err
}
