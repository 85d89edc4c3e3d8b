package facts

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"parley/internal/db/engine"
	"parley/internal/memory/provenance"
	"parley/internal/text"
)

// undoChange is how long a change can be undone after it was told.
const undoChange = 24 * time.Hour

// Errors of Undo; the text is fit for people.
var (
	ErrNoChange = text.Tell("there is nothing of yours that I could undo there")
	ErrUndoLate = text.Tell("that was more than a day ago: it can no longer be undone")
	ErrUndoOver = text.Tell("it was changed again since")
	ErrErased   = text.Tell("what you did last was to erase a fact for good, which cannot be undone; an earlier change has a number in /facts undo")
)

// taken is a change as Undo reads it.
type taken struct {
	id, number, batch         int64
	fact, other, history      int64
	kind                      Kind
	stamp, since              string // since: when it was told, or else made
	updated, validTo, was, is string
	scope                     Scope
	subject                   string
	over                      int64 // number of their own last change of the fact after it, 0 for none
	later                     int64 // how many changes of the fact, of anybody, came after it
}

// seen is when its person saw a change c, or made it; "" is not yet.
const seen = "CASE WHEN c.told <> '' THEN c.told WHEN c.source <> '' THEN c.at ELSE '' END"

// Undoable returns the id and the number of the change with a number in v's own book, and the
// scopes of the facts that undoing it changes; ErrNoChange if it is not visible here. 0 means the
// change that v saw or made last, whoever made it and where.
func (s *Store) Undoable(_ context.Context, v Viewer, number int64) (is Change, scopes []Scope, err error) {
	if number == 0 {
		is.ID, err = s.lastSeen(v)
	} else {
		err = s.db.QueryRow("SELECT id FROM fact_changes WHERE user_id = ? AND number = ?", v.User, number).Scan(&is.ID)
		err = engine.NoRow(err, ErrNoChange)
	}
	if err != nil {
		return Change{}, nil, engine.During("undo", err)
	}
	list, err := batch(s.db, v, is.ID)
	if err == nil && len(list) == 0 {
		err = ErrNoChange
	}
	for _, c := range list {
		if is.Number == 0 || c.id == is.ID {
			is.Number = c.number
		}
		if !slices.Contains(scopes, c.scope) {
			scopes = append(scopes, c.scope)
		}
	}
	return is, scopes, engine.During("undo", err)
}

// lastSeen returns the id of the change that v saw or made last; 0 for none. After an
// erasure there is none: what came before it is not what they mean.
func (s *Store) lastSeen(v Viewer) (id int64, err error) {
	var at, erased string
	err = s.db.QueryRow(`SELECT CASE c.batch WHEN 0 THEN c.id ELSE c.batch END, `+seen+` AS seen FROM fact_changes c JOIN key_facts f ON f.id = c.fact_id
		WHERE c.user_id = :user AND `+seen+` <> '' AND `+factScope+` ORDER BY seen DESC, c.id DESC LIMIT 1`, v.Named(nil)).Scan(&id, &at)
	if err = engine.NoRow(err, nil); err != nil {
		return 0, err
	}
	err = s.db.QueryRow("SELECT erased_at FROM people WHERE user_id = ?", v.User).Scan(&erased)
	if err = engine.NoRow(err, nil); err == nil && erased > at {
		err = ErrErased
	}
	return id, err
}

// Undo takes back a change that was made for v, with its whole batch, if it is at most a
// day old and nothing was changed since. In the result, Kind is that of the change and Fact
// is the fact as it is now, or the removed one. The caller checks whether v may do so.
func (s *Store) Undo(ctx context.Context, v Viewer, id int64) (undone []Change, err error) {
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		undone = nil
		list, err := batch(tx, v, id)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return ErrNoChange
		}
		for _, c := range list {
			if err := c.stuck(s.o.Now()); err != nil {
				return err
			}
			done, err := s.takeBack(tx, v, c)
			if err != nil {
				return err
			}
			undone = append(undone, done)
		}
		return nil
	})
	return undone, engine.During("undo", err)
}

// batch reads a change and those that belong to it, as far as v can see them here.
func batch(query engine.Querier, v Viewer, id int64) ([]taken, error) {
	return takeable(query, v, ":id <> 0 AND (c.id = :id OR c.batch = :id) ORDER BY c.id", engine.Named{"id": id})
}

// after ends a query of the changes d of a fact that came after a change c, and not with it.
const after = "FROM fact_changes d WHERE d.fact_id = c.fact_id AND d.id > c.id AND (d.batch = 0 OR d.batch NOT IN (c.id, c.batch))"

// takeable reads changes that were made for v. end narrows and orders.
func takeable(query engine.Querier, v Viewer, end string, args engine.Named) ([]taken, error) {
	return engine.Select(query, func(r engine.Scanner) (c taken, err error) {
		return c, r.Scan(&c.id, &c.number, &c.batch, &c.fact, &c.other, &c.history, &c.kind, &c.stamp, &c.since, &c.updated, &c.validTo,
			&c.was, &c.is, &c.scope, &c.subject, &c.over, &c.later)
	}, `SELECT c.id, c.number, c.batch, c.fact_id, c.other_id, c.history_id, c.kind, c.stamp, CASE c.told WHEN '' THEN c.at ELSE c.told END, f.updated_at, f.valid_to, coalesce(h.content, ''), f.content, f.scope, f.subject,
			coalesce((SELECT n.number FROM fact_changes n WHERE n.id = (SELECT max(CASE d.batch WHEN 0 THEN d.id ELSE d.batch END) `+after+` AND d.user_id = :user)), 0), (SELECT count(*) `+after+`)
		FROM fact_changes c JOIN key_facts f ON f.id = c.fact_id LEFT JOIN fact_history h ON h.id = c.history_id AND h.fact_id = c.fact_id
		WHERE c.user_id = :user AND `+factScope+" AND "+end, v.Named(args))
}

// Undoables returns the changes that v saw or made and can take back here, the newest first;
// of each batch, the one that names it.
func (s *Store) Undoables(_ context.Context, v Viewer, limit int) (list []Change, err error) {
	all, err := takeable(s.db, v, seen+" <> '' AND c.at > :since ORDER BY c.id DESC LIMIT :limit",
		engine.Named{"since": engine.Stamp(s.o.Now().Add(-keepChanges)), "limit": limit})
	stuck := map[int64]bool{} // names of batches that cannot be taken back
	for _, c := range all {
		stuck[c.name()] = stuck[c.name()] || c.stuck(s.o.Now()) != nil
	}
	for _, c := range all {
		if c.id == c.name() && !stuck[c.id] {
			list = append(list, Change{ID: c.id, Number: c.number, Kind: c.kind, Was: c.was, Fact: Fact{ID: c.fact, Content: c.is, Scope: c.scope}})
		}
	}
	return list, engine.During("undoable changes", err)
}

// name returns the number under which a change is taken back.
func (c taken) name() int64 { return cmp.Or(c.batch, c.id) }

// stuck returns why a change cannot be taken back, or nil.
func (c taken) stuck(now time.Time) error {
	switch {
	case now.Sub(engine.ParseStamp(c.since)) > undoChange:
		return ErrUndoLate
	case c.altered() && c.over != 0 && c.validTo == "":
		return text.Tell("%w; it says now: “%s”. /facts undo %d takes that back", ErrUndoOver, text.Shorten(c.is, maxTold), c.over)
	case c.altered() && c.over != 0:
		return text.Tell("%w; “%s” is forgotten. /facts undo %d brings it back", ErrUndoOver, text.Shorten(c.is, maxTold), c.over)
	case c.altered():
		return ErrUndoOver
	}
	return nil
}

// altered reports whether a fact was changed again since.
func (c taken) altered() bool {
	return c.later > 0 || c.stamp != c.updated || (c.validTo != "") != (c.kind == Forgotten)
}

func (s *Store) takeBack(tx *engine.Tx, v Viewer, c taken) (Change, error) {
	now := s.o.Now()
	done := Change{ID: c.id, Number: c.number, Kind: c.kind, Was: c.is, Fact: Fact{ID: c.fact, Content: c.is, Scope: c.scope}}
	stamp := engine.Stamp(now)
	var err error
	switch c.kind {
	case Added:
		if _, err = tx.Exec("DELETE FROM key_facts WHERE id = ?", c.fact); err == nil && c.scope == ScopePerson {
			err = learnFromNow(tx, c.subject, stamp)
		}
		return done, err
	case Replaced:
		err = s.restore(tx, c)
	case Forgotten:
		_, err = tx.Exec("UPDATE key_facts SET valid_to = '' WHERE id = ?", c.fact)
	}
	if err != nil {
		return done, err
	}
	if _, err := tx.Exec("DELETE FROM fact_changes WHERE id = ?", c.id); err != nil {
		return done, err
	}
	done.Fact, err = factOf(tx, v, c.fact)
	return done, err
}

// restore gives a fact and its history their state before a change. A fact that it
// superseded holds again.
func (s *Store) restore(tx *engine.Tx, c taken) error {
	if c.history == 0 {
		return errors.New("no history")
	}
	_, err := tx.Exec(`UPDATE key_facts SET (content, tags, important, author, session_id, message_id, quote, previous, people, via, confidence, rank, ends, valid_from, updated_at, call_key) =
		(SELECT h.content, h.tags, instr(h.tags || ' ', '#important ') > 0, h.author, h.session_id, h.message_id, h.quote, h.previous, h.people, h.via, h.confidence, h.rank, h.ends, h.since, h.updated, ''
			FROM fact_history h WHERE h.id = :history AND h.fact_id = :fact) WHERE id = :fact`, engine.Named{"history": c.history, "fact": c.fact})
	if err != nil {
		return err
	}
	if _, err := tx.Exec("DELETE FROM fact_history WHERE id = ?", c.history); err != nil {
		return err
	}
	if c.other == 0 {
		return nil
	}
	_, err = tx.Exec("UPDATE key_facts SET valid_to = '', superseded_by = 0 WHERE id = ? AND superseded_by = ?", c.other, c.fact)
	return err
}

// hide hides a fact from everything but Undo, and keeps it from being learned again from what
// was said so far.
func hide(tx *engine.Tx, f Fact, now string) error {
	_, err := tx.Exec("UPDATE key_facts SET valid_to = ?, call_key = '' WHERE id = ?", now, f.ID)
	if err != nil || f.Scope != ScopePerson {
		return err
	}
	return learnFromNow(tx, f.Subject, now)
}

// retire hides a fact and notes the change, in the batch of first if that is not 0.
func (s *Store) retire(tx *engine.Tx, v Viewer, f Fact, first int64) (Change, error) {
	if err := hide(tx, f, engine.Stamp(s.o.Now())); err != nil {
		return Change{}, err
	}
	return s.note(tx, v, Change{Kind: Forgotten, Fact: f, Batch: first}, true)
}

// ForgetFact hides a fact that v can see. For a day Undo restores it; then it is deleted
// with its history and the facts that it superseded.
func (s *Store) ForgetFact(ctx context.Context, v Viewer, id int64) (gone Change, err error) {
	err = s.changeFact(ctx, v, id, func(tx *engine.Tx, f Fact) (err error) {
		gone, err = s.retire(tx, v, f, 0)
		return err
	})
	return gone, engine.During("forget fact", err)
}

// Forgotten returns a fact that v could see and that waits for Undo, or ErrNone.
func (s *Store) Forgotten(_ context.Context, v Viewer, id int64) (Fact, error) {
	f, err := forgotten(s.db, v, id)
	return f, engine.During("forgotten fact", err)
}

func forgotten(query engine.Querier, v Viewer, id int64) (Fact, error) {
	scope := visibleTo(v)
	if scope == "" {
		return Fact{}, ErrNone
	}
	list, err := engine.Select(query, scanFact, "SELECT "+factColumns+" FROM key_facts f WHERE "+scope+
		" AND f.id = :id AND f.valid_to <> '' AND "+ForUndo, v.Named(engine.Named{"id": id}))
	if err != nil || len(list) == 0 {
		return Fact{}, cmp.Or(err, ErrNone)
	}
	return list[0], nil
}

// ForUndo is the condition on rows f that they were forgotten in the chat, or superseded by
// a fact that was. Until they are erased, only Undo reads them.
const ForUndo = "EXISTS (SELECT 1 FROM fact_changes c WHERE c.fact_id IN (f.id, f.superseded_by) AND c.kind = 'forgotten' AND c.source <> 'file')"

// EraseFact deletes a fact that v can see, or that waits for Undo, with its history and the
// facts that it superseded, and returns it. Undo cannot restore it.
func (s *Store) EraseFact(ctx context.Context, v Viewer, id int64) (gone Fact, err error) {
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		f, err := factOf(tx, v, id)
		if err == nil && f.ID == 0 {
			f, err = forgotten(tx, v, id)
		}
		if err != nil {
			return err
		}
		gone = f
		if _, err := tx.Exec("DELETE FROM key_facts WHERE id = :id OR superseded_by = :id AND superseded_by <> 0",
			engine.Named{"id": id}); err != nil {
			return err
		}
		now := engine.Stamp(s.o.Now())
		if err := setPerson(tx, v.User, "erased_at", now); err != nil || f.Scope != ScopePerson {
			return err
		}
		return learnFromNow(tx, f.Subject, now)
	})
	if err == nil {
		s.emptyLog(ctx)
	}
	return gone, engine.During("erase fact", err)
}

// KeepFact gives a fact that v can see the rank Kept, and forgets the fact not that it
// contradicts; 0 means none.
func (s *Store) KeepFact(ctx context.Context, v Viewer, id, not int64) (kept Fact, gone Change, err error) {
	err = s.changeFact(ctx, v, id, func(tx *engine.Tx, f Fact) (err error) {
		gone = Change{}
		if not != 0 {
			other, err := factOf(tx, v, not)
			if err == nil && (other.ID == 0 || not == id) {
				err = ErrNone
			}
			if err == nil {
				gone, err = s.retire(tx, v, other, 0)
			}
			if err != nil {
				return err
			}
		}
		f.Rank = Kept
		kept, err = s.mark(tx, v, f, gone.ID)
		return err
	})
	return kept, gone, engine.During("keep fact", err)
}

// ClearFacts forgets every fact about v that v can see here, and returns how many; gone is
// the change with which Undo restores all of them. With erase it deletes them at once, and
// those that wait for Undo, too. Facts of channels and servers stay.
func (s *Store) ClearFacts(ctx context.Context, v Viewer, erase bool) (n int64, gone Change, err error) {
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		n, gone = 0, Change{}
		if err := learnFromNow(tx, v.User, engine.Stamp(s.o.Now())); err != nil {
			return err
		}
		list, err := facts(tx, v, "f.scope = 'person' ORDER BY f.id", nil)
		if err != nil {
			return err
		}
		n = int64(len(list))
		// Facts that were deleted in the facts file have no Undo of their own.
		of, args := `f.scope = 'person' AND f.subject = :user AND (:direct OR (f.platform = :platform AND f.channel = :channel)) AND (`+
			provenance.Heard+` OR `+shared+`)`, v.Named(nil)
		if erase {
			if _, err = tx.Exec("DELETE FROM key_facts AS f WHERE "+of, args); err == nil {
				err = setPerson(tx, v.User, "erased_at", engine.Stamp(s.o.Now()))
			}
			return err
		}
		if _, err = tx.Exec("DELETE FROM key_facts AS f WHERE "+of+" AND f.valid_to <> '' AND f.superseded_by = 0 AND NOT "+ForUndo,
			args); err != nil {
			return err
		}
		for _, f := range list {
			c, err := s.retire(tx, v, f, gone.ID)
			if err != nil {
				return err
			}
			if gone.ID == 0 {
				gone = c
			}
		}
		return nil
	})
	if err == nil && erase {
		s.emptyLog(ctx)
	}
	return n, gone, engine.During("clear facts", err)
}
