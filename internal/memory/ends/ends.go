// Package ends is the stream of what ended: whatever ends something says so in the same
// transaction, and everyone who has to act on it reads that afterwards, in order and at
// least once, whatever was killed in between. It stores no words and does not act itself.
package ends

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/internal/db/engine"
)

// Kind is what ended.
type Kind string

// Reader is who acts on it.
type Reader string

// The kinds.
const (
	// Conversation: a session is over and all that is kept of it is stored, which is its
	// summary and the facts that were learned from it.
	Conversation Kind = "conversation"
	// Unsummed: a session is over, and no model could summarize it yet. Conversation follows,
	// with the summary or once it is no longer awaited.
	Unsummed Kind = "conversation without its summary"
)

// The readers.
const (
	DailyNote Reader = "daily note"
	Digest    Reader = "digest"
)

// readers lists who reads each kind.
var readers = map[Kind][]Reader{Conversation: {DailyNote, Digest}, Unsummed: {Digest}}

// Readers returns who reads what ended.
func Readers(k Kind) []Reader { return readers[k] }

// End is something that ended, for one reader.
type End struct {
	Kind Kind
	What string // its id
	At   time.Time

	id    int64
	tries int
}

// Tell puts the end of something into the stream. A reader that has not acted on an earlier
// end of the same does so once.
func Tell(tx *engine.Tx, k Kind, what string, at time.Time) error {
	for _, r := range readers[k] {
		if _, err := tx.Exec("INSERT INTO ends (kind, what, reader, at, due_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (kind, what, reader) "+
			"DO UPDATE SET at = excluded.at, due_at = excluded.due_at, tries = 0", string(k), what, string(r), engine.Stamp(at), engine.Stamp(at)); err != nil {
			return engine.During("tell an end", err)
		}
	}
	return nil
}

// Stream reads what ended.
type Stream struct {
	db  *engine.DB
	now func() time.Time
}

// NewStream returns the Stream of a database.
func NewStream(db *engine.DB, now func() time.Time) *Stream { return &Stream{db, now} }

// Bounds of a reading.
const (
	atOnce       = 200 // ends in one reading; the next one continues
	firstPause   = time.Minute
	longestPause = time.Hour
	patience     = 7 * 24 * time.Hour // with a reader that fails
)

// Read has a reader act on what ended, oldest first. What act returns an error for is tried
// again later, for a week, and does not keep the others from being read. act must do what it did already
// again without a second effect: a process may end right after it. One process reads at a
// time.
func (s *Stream) Read(ctx context.Context, r Reader, act func(context.Context, End) error) error {
	list, err := engine.Select(s.db, func(row engine.Scanner) (e End, err error) {
		return e, row.Scan(&e.id, &e.Kind, &e.What, engine.Stamped(&e.At), &e.tries)
	}, "SELECT id, kind, what, at, tries FROM ends WHERE reader = ? AND due_at <= ? ORDER BY id LIMIT ? + 0", string(r), engine.Stamp(s.now()), atOnce)
	err = engine.During("read ends", err)
	for _, e := range list {
		if ctx.Err() != nil {
			return errors.Join(err, context.Cause(ctx))
		}
		if failed := act(ctx, e); failed != nil {
			err = errors.Join(err, fmt.Errorf("%s of %s %s: %w", r, e.Kind, e.What, failed), s.later(ctx, e))
			continue
		}
		err = errors.Join(err, s.passed(ctx, e))
	}
	return err
}

// passed deletes what a reader has acted on, unless it ended once more meanwhile.
func (s *Stream) passed(ctx context.Context, e End) error {
	return engine.During("pass an end", s.db.Exec(ctx, "DELETE FROM ends WHERE id = ? AND at = ?", e.id, engine.Stamp(e.At)))
}

func (s *Stream) later(ctx context.Context, e End) error {
	if s.now().Sub(e.At) > patience {
		return errors.Join(errors.New("it is given up"), s.passed(ctx, e))
	}
	due := s.now().Add(min(longestPause, firstPause<<min(e.tries, 6)))
	return engine.During("put off an end", s.db.Exec(ctx, "UPDATE ends SET due_at = ?, tries = tries + 1 WHERE id = ? AND at = ?",
		engine.Stamp(due), e.id, engine.Stamp(e.At)))
}
