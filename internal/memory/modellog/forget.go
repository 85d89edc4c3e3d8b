package modellog

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"parley/internal/db/chunked"
	"parley/internal/db/engine"
)

// barred are calls that may have words which are being forgotten, or were.
type barred struct {
	now   int       // how many forgettings go on: nothing is kept
	row   int64     // messages up to this one were there when the last of them ended
	until time.Time // and what has no message is not kept before this
}

// straggling is how long something without a message may still work with words that
// were forgotten meanwhile.
const straggling = 10 * time.Minute

func (t *Tape) isBarred(c Call) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.barred.now > 0 || c.Row > 0 && c.Row <= t.barred.row || c.Row == 0 && c.Began.Before(t.barred.until)
}

// ForgetPerson deletes every call that may have words of a person. Until over is
// called nothing is kept, and afterwards no call of a message that was there before.
func (t *Tape) ForgetPerson(ctx context.Context, user string) (over func(), err error) {
	return t.forget(ctx, func(q question) (map[int64]bool, error) { return t.o.Witness.withoutPerson(ctx, user, q) })
}

// ForgetSession does so for the words of a session. It asks about the session, so it is
// called before the session is deleted.
func (t *Tape) ForgetSession(ctx context.Context, id string) (over func(), err error) {
	return t.forget(ctx, func(q question) (map[int64]bool, error) { return t.o.Witness.withoutSession(ctx, id, q) })
}

// clean tells which messages are certain to have none of some words.
type clean func(question) (map[int64]bool, error)

// forget deletes what clean does not name.
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
	if _, err = t.drop(ctx, "1", clean); err == nil {
		err = chunked.Wipe(ctx, t.db, nil)
	}
	if errors.Is(err, engine.ErrLogInUse) { // somebody reads the page: the log is emptied later
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

// drop deletes the calls of a condition that are not clean; those without a message
// never are. The caller holds writing.
func (t *Tape) drop(ctx context.Context, where string, clean clean) (int, error) {
	t.packer.forget()
	var q question
	rows, err := t.db.QueryContext(ctx, "SELECT row, min(began) FROM calls WHERE "+where+" GROUP BY row")
	if err != nil {
		return 0, err
	}
	_, err = engine.Collect(rows, func(r *sql.Rows) (_ struct{}, err error) {
		var row int64
		var began string
		err = r.Scan(&row, &began)
		q.rows = append(q.rows, row)
		if q.since == "" || began < q.since {
			q.since = began
		}
		return struct{}{}, err
	})
	if err != nil || len(q.rows) == 0 {
		return 0, err
	}
	kept, err := clean(q)
	if err != nil {
		return 0, err
	}
	var gone []int64
	for _, row := range q.rows {
		if row == 0 || !kept[row] {
			gone = append(gone, row)
		}
	}
	return chunked.Each(ctx, t.db, gone, func(tx *engine.Tx, row int64) error {
		_, err := tx.Exec("DELETE FROM calls WHERE row = ? AND "+where, row)
		return err
	})
}

// Prune deletes what is older than it is to be kept, what has no account of its message
// any more, and what is too much.
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
		settled := engine.Stamp(t.o.Now().Add(-time.Hour)) // what is younger may belong to a message that is being answered
		_, err = t.drop(ctx, "row > 0 AND began < '"+settled+"'", func(q question) (map[int64]bool, error) { return t.o.Witness.kept(ctx, q) })
	}
	if err == nil {
		err = t.shrink(ctx)
	}
	if err == nil {
		err = chunked.Shrink(ctx, t.db)
	}
	return engine.During("prune model calls", err)
}

// shrink deletes the oldest calls until there is room again, a tenth of all at once.
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
