package modellog

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley/internal/db/chunked"
	"parley/internal/db/engine"
)

// barred says which calls may contain forgotten words and are not kept.
type barred struct {
	now   int       // running deletions: no call is kept
	row   int64     // calls for messages up to this row, the newest when a deletion ended
	until time.Time // calls without a message that began before this
}

// straggling is how long work without a message may still use words that were forgotten
// meanwhile.
const straggling = 10 * time.Minute

func (t *Tape) isBarred(c Call) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.barred.now > 0 || c.Row > 0 && c.Row <= t.barred.row || c.Row == 0 && c.Began.Before(t.barred.until)
}

// ForgetPerson deletes every call that may contain words of a person. Until over is called
// no call is kept, and afterwards none for an earlier message.
func (t *Tape) ForgetPerson(ctx context.Context, user string) (over func(), err error) {
	return t.forget(ctx, func(q question) (map[int64]bool, error) { return t.o.Witness.withoutPerson(ctx, user, q) })
}

// ForgetSession does the same for the words of a session. Call it before the session is
// deleted.
func (t *Tape) ForgetSession(ctx context.Context, id string) (over func(), err error) {
	return t.forget(ctx, func(q question) (map[int64]bool, error) { return t.o.Witness.withoutSession(ctx, id, q) })
}

// ForgetAll deletes every call.
func (t *Tape) ForgetAll(ctx context.Context) error {
	over, err := t.forget(ctx, func(question) (map[int64]bool, error) { return nil, nil })
	if err != nil {
		return err
	}
	over()
	return nil
}

// clean returns the messages that certainly contain none of some words.
type clean func(question) (map[int64]bool, error)

// forget deletes the calls for messages that clean does not return.
func (t *Tape) forget(ctx context.Context, clean clean) (over func(), err error) {
	if t == nil {
		return func() {}, nil
	}
	t.bar(1)
	over = func() {
		row, err := t.o.Witness.lastRow(ctx)
		t.note(err)
		t.mu.Lock()
		t.barred.row, t.barred.until = max(t.barred.row, row), t.o.Now().Add(straggling)
		t.mu.Unlock()
		t.bar(-1)
	}
	t.writing.Lock()
	defer t.writing.Unlock()
	if err = t.drop(ctx, "1", clean); err == nil {
		err = chunked.Wipe(ctx, t.db, nil)
	}
	if errors.Is(err, engine.ErrLogInUse) { // somebody reads the log: it is emptied later
		err = nil
	}
	if err != nil {
		over()
		return nil, engine.During("forget model calls", err)
	}
	return over, nil
}

func (t *Tape) bar(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.barred.now += n
}

// drop deletes the calls of a condition that are not clean. Calls without a message never
// are. The caller holds writing.
func (t *Tape) drop(ctx context.Context, where string, clean clean) error {
	t.packer.forget()
	var q question
	rows, err := t.db.QueryContext(ctx, "SELECT row, min(began) FROM calls WHERE "+where+" GROUP BY row")
	if err != nil {
		return err
	}
	q.rows, err = engine.Collect(rows, func(r engine.Scanner) (row int64, err error) {
		var began string
		err = r.Scan(&row, &began)
		if q.since == "" || began < q.since {
			q.since = began
		}
		return row, err
	})
	if err != nil || len(q.rows) == 0 {
		return err
	}
	kept, err := clean(q)
	if err != nil {
		return err
	}
	gone := slices.DeleteFunc(q.rows, func(row int64) bool { return row != 0 && kept[row] })
	_, err = chunked.Each(ctx, t.db, gone, func(tx *engine.Tx, row int64) error {
		_, err := tx.Exec("DELETE FROM calls WHERE row = ? AND "+where, row)
		return err
	})
	return err
}

// Prune deletes calls that are too old, calls whose message has no account any more, and
// the oldest calls if the file is too large.
func (t *Tape) Prune(ctx context.Context) error {
	if t == nil {
		return nil
	}
	t.writing.Lock()
	defer t.writing.Unlock()
	t.packer.forget()
	old := engine.Stamp(t.o.Now().Add(-t.o.Keep))
	err := t.db.Write(ctx, func(tx *engine.Tx) error {
		_, err := tx.Exec("DELETE FROM calls WHERE began < ?", old)
		return err
	})
	if err == nil {
		settled := engine.Stamp(t.o.Now().Add(-time.Hour)) // younger messages may not be answered yet
		err = t.drop(ctx, "row > 0 AND began < '"+settled+"'", func(q question) (map[int64]bool, error) { return t.o.Witness.kept(ctx, q) })
	}
	if err == nil {
		err = t.shrink(ctx)
	}
	if err == nil {
		err = chunked.Shrink(ctx, t.db)
	}
	return engine.During("prune model calls", err)
}

// shrink deletes the oldest calls, a tenth of all at once, until the file is small enough.
// The caller holds writing.
func (t *Tape) shrink(ctx context.Context) error {
	for {
		n, err := t.Size(ctx)
		if err != nil || n <= t.o.MaxSize {
			return err
		}
		t.packer.forget()
		var gone int64
		err = t.db.Write(ctx, func(tx *engine.Tx) error {
			return tx.Count(&gone,
				"DELETE FROM calls WHERE id IN (SELECT id FROM calls ORDER BY began, id LIMIT (SELECT max(1, count(*) / 10) FROM calls))")
		})
		if err != nil || gone == 0 {
			return err
		}
	}
}

// heardSchema holds the number of the last request to forget, made by another process, that
// was done here. Older files lack the table.
const heardSchema = "CREATE TABLE IF NOT EXISTS heard (upto INTEGER NOT NULL)"

// Heard returns the number that Hear was given last, 0 for none.
func (t *Tape) Heard(ctx context.Context) (upto int64, err error) {
	if t == nil {
		return 0, nil
	}
	err = t.db.QueryRowContext(ctx, "SELECT coalesce(max(upto), 0) FROM heard").Scan(&upto)
	return upto, engine.During("read what was forgotten", err)
}

// Hear notes that all requests to forget up to a number were done.
func (t *Tape) Hear(ctx context.Context, upto int64) error {
	if t == nil {
		return nil
	}
	return engine.During("note what was forgotten", t.db.Write(ctx, func(tx *engine.Tx) error {
		if _, err := tx.Exec("DELETE FROM heard"); err != nil {
			return err
		}
		_, err := tx.Exec("INSERT INTO heard (upto) VALUES (?)", upto)
		return err
	}))
}
