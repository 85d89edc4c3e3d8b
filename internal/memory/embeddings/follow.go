package embeddings

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"parley/internal/db/engine"
)

// How long until everything is read again that another process may have changed: soon at
// first, when that process may be working through years of messages, and later rarely.
const (
	firstAgain = 10 * time.Second
	lastAgain  = time.Hour
)

// Follow replaces Embed if another process makes the vectors: it reads new sketches into
// memory, and reports whether there may be more. Vectors that changed or were made out of
// order come later.
func (x *Index) Follow(ctx context.Context) (more bool, err error) {
	if x.o.Embed == nil {
		return false, nil
	}
	x.working.Lock()
	defer x.working.Unlock()
	now := x.o.Now()
	if x.isReady() && now.Before(x.work.again) {
		more, err = x.catchUp()
	} else {
		err = x.anew(ctx, now)
	}
	if err != nil {
		return false, fmt.Errorf("follow vectors of messages: %w", err)
	}
	return more, nil
}

// anew reads all sketches. Until it is done, questions use the old ones.
func (x *Index) anew(ctx context.Context, now time.Time) error {
	fresh := New(x.db, x.o)
	if err := fresh.Load(ctx); err != nil {
		return err
	}
	wait := min(max(2*x.work.wait, firstAgain), lastAgain)
	x.work = fresh.work
	x.work.wait, x.work.again = wait, now.Add(wait)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ready, x.all = true, fresh.all
	return nil
}

// catchUp reads the sketches of the next messages, up to the first without one.
func (x *Index) catchUp() (more bool, err error) {
	w := &x.work
	args := engine.Named{"after": w.newest, "embedder": w.embedder}
	var last, first int64
	if err := x.db.QueryRow("SELECT coalesce(max(id), 0) FROM messages").Scan(&last); err != nil || last <= w.newest {
		return false, err
	}
	upto := min(w.newest+window, last)
	err = x.db.QueryRow(`SELECT coalesce(min(m.id), 0) FROM messages m WHERE m.id > :after AND m.id <= :upto AND m.role <> 'tool' AND m.content <> ''
		AND (SELECT embedder FROM message_vectors WHERE message_id = m.id) IS DISTINCT FROM :embedder`, args.With(engine.Named{"upto": upto})).Scan(&first)
	if err != nil {
		return false, err
	}
	if first > 0 {
		upto = first - 1
	}
	rows, err := x.db.Query(
		"SELECT message_id, place, sketch FROM message_sketches WHERE message_id > :after AND message_id <= :upto AND embedder = :embedder",
		args.With(engine.Named{"upto": upto}))
	if err != nil {
		return false, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var u unmade
		var raw sql.RawBytes
		if err := rows.Scan(&u.id, &u.place, &raw); err != nil {
			return false, err
		}
		x.add(u, unpacked(raw))
	}
	if err := rows.Err(); err != nil {
		return false, err
	}
	w.newest = upto
	return first == 0 && upto < last, nil
}
