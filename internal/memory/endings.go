package memory

import (
	"context"
	"fmt"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/memory/ends"
	"parley/internal/memory/sessions"
)

// Closing is what remains of an ended session. Its Origin covers everything it was made of
// and replaces the session's.
type Closing struct {
	Text      string              // of the whole
	Title     string              // "" leaves what there is
	Decisions []sessions.Decision // those without a number are stored
	Page      []sessions.Line     // what matters beyond it, with what was carried to it; the same
	Owed      *sessions.Debt      // what no model has summarized; nil is nothing
	Origin    Origin
}

// closed sets the columns that hold a Closing.
const closed = `closing = :closing, title = iif(:title = '', title, :title), page = iif(:page = '[]', page, :page), debt = :debt, owed_at = :owed, via = via | :via, people = :people`

func (c Closing) args(more engine.Named) (engine.Named, error) {
	args, err := Session{Title: c.Title, Page: c.Page, Owed: c.Owed, Origin: c.Origin}.changing()
	if err != nil {
		return nil, err
	}
	return args.With(engine.Named{"closing": c.Text}).With(more), nil
}

// EndSession ends a live session as completed or expired. With expired it is a
// compare-and-set: a message that moved the expiry on wins, and ok is false.
// digest becomes its closing until a better one is written, unless something
// was forgotten since se was read; carry false makes the next session start
// without it.
func (s *Sessions) EndSession(ctx context.Context, se Session, to Status, digest Closing, carry bool) (ok bool, err error) {
	now := Stamp(s.now())
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		digest := digest
		if current, err := upToDate(tx, se); err != nil {
			return err
		} else if !current {
			digest = Closing{}
		}
		args, err := digest.args(engine.Named{"id": se.ID, "status": string(to), "now": now, "carry": carry})
		if err != nil {
			return err
		}
		var n int64
		err = tx.Count(&n, `UPDATE sessions SET status = :status, ended_at = :now, carry = :carry, `+closed+`
			WHERE id = :id AND status IN ('active', 'idle', 'suspended') AND (:status <> 'expired' OR expires_at <= :now)`, args)
		if ok = n == 1; err != nil || !ok {
			return err
		}
		if err := sessions.Decide(tx, se.ID, se.Line, digest.Decisions); err != nil {
			return err
		}
		return lapse(tx, chat.LapsedSession, "session = ? AND state = 'open'", se.ID)
	})
	return ok, err
}

// ArchiveSession stores what is left of an ended session. Once nothing is owed that is still awaited,
// the stream of ends tells that it is over. When something was forgotten since se was read
// it stays as it is, to be summed up anew.
func (s *Sessions) ArchiveSession(ctx context.Context, se Session, c Closing) error {
	args, err := c.args(engine.Named{"id": se.ID, "generation": se.Generation})
	if err != nil {
		return fmt.Errorf("archive session: %w", err)
	}
	return s.db.Write(ctx, func(tx *engine.Tx) error {
		var n int64
		if err := tx.Count(&n, "UPDATE sessions SET status = 'archived', "+closed+
			" WHERE id = :id AND status IN ('completed', 'expired', 'archived') AND generation = :generation", args); err != nil || n == 0 {
			return err
		}
		if err := sessions.Decide(tx, se.ID, se.Line, c.Decisions); err != nil {
			return err
		}
		if c.Owed.Awaited() {
			if se.Status == Archived {
				return nil
			}
			return ends.Tell(tx, ends.Unsummed, se.ID, s.now())
		}
		first, err := tx.Changes("UPDATE sessions SET told_end = ended_at WHERE id = ? AND told_end <> ended_at", se.ID)
		if err != nil || !first {
			return err
		}
		return ends.Tell(tx, ends.Conversation, se.ID, s.now())
	})
}
