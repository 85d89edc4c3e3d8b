package engine

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"
)

// maxBatch bounds how many writes share one commit, so that the first of them
// does not wait for a thousand others.
const maxBatch = 128

// Tx is the writer's transaction. Statements are prepared once and kept.
type Tx struct {
	conn    *sql.Conn
	dialect Dialect
	server  Server
	kept    statements
	changes *changes
	touched []*counter // since count
	begun   string     // how the transaction under way was
	asked   []*sql.Rows
	open    []promise     // numbers that are known once the transaction has ended
	by      *write        // that is run now; nil for none
	changed bool          // the transaction that ended last has changed something
	owes    bool          // one of them has put something off (Sealed.Owes)
	trip    time.Duration // how long a server took to end the last one
}

// use makes conn the connection.
func (tx *Tx) use(conn *sql.Conn) {
	tx.conn = conn
	tx.kept = statements{prepare: conn.PrepareContext, dialect: tx.dialect, changes: tx.changes}
}

// write is one caller's share of a commit. fn may run again: alone, when one of those
// it shared a commit with failed, and where another process was in the way.
type write struct {
	Pending
	fn   func(*Tx) error
	made chan error // told when it is committed; nil for nobody
	bare bool       // alone and outside a transaction, once
	held bool       // see Held
	put  putting

	queued  bool
	passed  int         // batches that went ahead of it; see pick
	unknown error       // it was committed, and what it was to know is lost
	failed  func(error) // told of an error where nobody waits; nil for nobody
}

// Pending is somebody who waits for a write.
type Pending struct {
	Soon bool // for its commit; else until it is on the disk
	Own  bool // its caller calls Disk.Settle; others need not hurry for it
	err  chan error
}

// Tell ends the waiting: nil says that what was promised is so. It is called once and
// does not block.
func (p *Pending) Tell(err error) { p.err <- err }

func newWrite(fn func(*Tx) error) *write {
	return &write{fn: fn, Pending: Pending{err: make(chan error, 1)}}
}

func (w *write) wait() error { return <-w.err }

// Write runs fn inside a transaction on the writer and returns once it is
// durable, or with the error and nothing stored. fn must only touch tx and
// must be repeatable. It blocks while the disk is slow. Once queued it ignores ctx,
// because the caller could not know whether the write was stored.
// After Close it is ErrClosed.
func (d *DB) Write(ctx context.Context, fn func(*Tx) error) error {
	return d.write(ctx, newWrite(fn))
}

func (d *DB) write(ctx context.Context, w *write) error {
	w.Own = d.p.Disk != nil && !w.Soon
	if err := d.hand(ctx, w); err != nil {
		return err
	}
	return d.settled(w)
}

// settled waits for a write. Where its caller made it, it syncs it as well: the way to
// the disk's goroutine and back wakes two threads, too.
func (d *DB) settled(w *write) error {
	if w.Own {
		d.p.Disk.Settle()
	}
	return w.wait()
}

// Queue is like Write, but returns once fn is queued; wait returns what Write would.
func (d *DB) Queue(ctx context.Context, fn func(*Tx) error) (wait func() error) {
	return d.enqueue(ctx, newWrite(fn))
}

func (d *DB) enqueue(ctx context.Context, w *write) (wait func() error) {
	if err := d.submit(ctx, w); err != nil {
		return func() error { return err }
	}
	return w.wait
}

// Soon is like Write, but returns once fn is committed: whatever becomes of this
// process, it is stored. It is on the disk a moment later (restless), or together
// with any later write, and a power failure before that undoes it. Where a server is lost
// fn may run again, after this has returned: to do it twice must come to the same.
func (d *DB) Soon(ctx context.Context, fn func(*Tx) error) error {
	w := newWrite(fn)
	w.Soon = true
	return d.write(ctx, w)
}

// Stage is like Soon, and durable waits until it is on the disk, as Write does.
// durable may be called once, or not at all; it is nil with an error.
func (d *DB) Stage(ctx context.Context, fn func(*Tx) error) (durable func() error, err error) {
	return d.stage(ctx, newWrite(fn))
}

func (d *DB) stage(ctx context.Context, w *write) (durable func() error, err error) {
	w.made = make(chan error, 1)
	w.Own = d.p.Disk != nil
	if err := d.hand(ctx, w); err != nil {
		return nil, err
	}
	if err := <-w.made; err != nil {
		return nil, err
	}
	return func() error { return d.settled(w) }, nil
}

// Bare runs fn on the writer outside a transaction, for statements that are not
// allowed within one. All other writes wait.
func (d *DB) Bare(ctx context.Context, fn func(*Tx) error) error {
	w := newWrite(fn)
	w.bare = true
	if err := d.submit(ctx, w); err != nil {
		return err
	}
	return w.wait()
}

// hand has a write done, or queues it; with an error, nobody will run it.
func (d *DB) hand(ctx context.Context, w *write) error {
	if ctx.Err() == nil && d.here(w) {
		return nil
	}
	return d.submit(ctx, w)
}

// here does a write in its caller's goroutine when nobody writes and nothing is queued,
// and reports whether it did: the way to the writer and back wakes two threads, which
// takes as long as most writes.
func (d *DB) here(w *write) bool {
	if d.queued.Load() > 0 || !d.turn.TryLock() {
		return false
	}
	defer d.turn.Unlock()
	if d.queued.Load() > 0 || d.over() { // somebody came first
		return false
	}
	due := d.ahead(w)
	d.commit(d.tx, append(due, w))
	if len(due) > 0 {
		d.put.done()
	}
	return true
}

// submit queues a write; with an error, nobody will run it.
func (d *DB) submit(ctx context.Context, w *write) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.closed {
		return ErrClosed
	}
	w.queued, w.Own = true, false
	d.queued.Add(1)
	select {
	case d.queue <- w:
		return nil
	case <-ctx.Done():
		d.queued.Add(-1)
		return context.Cause(ctx)
	}
}

// run is the writer: it does what is queued, and what runs beside that.
func (d *DB) run() {
	defer close(d.done)
	batch := make([]*write, 0, maxBatch)
	for d.gather() {
		d.turn.Lock()
		batch = d.pick(batch[:0])
		due := d.ahead(batch[0])
		d.commit(d.tx, append(due, batch...))
		if len(due) > 0 {
			d.put.done()
		}
		for _, w := range batch {
			if w.queued {
				d.queued.Add(-1)
			}
		}
		d.turn.Unlock()
	}
	d.turn.Lock()
	defer d.turn.Unlock()
	if due := d.put.dues(); len(due) > 0 || d.tx.owes {
		d.commit(d.tx, append(due, rest()))
	}
	d.tx.close()
}

// commit commits all writes together. When one of them fails, each is tried alone,
// so that no write suffers from another. A bare write comes last.
func (d *DB) commit(tx *Tx, batch []*write) {
	if last := batch[len(batch)-1]; last.bare {
		if len(batch) > 1 {
			d.commit(tx, batch[:len(batch)-1])
		}
		err := d.connected(tx)
		if err == nil {
			err = last.fn(tx)
		}
		if errors.Is(err, ErrLost) {
			tx.close()
		}
		tx.count()
		d.ended(batch[len(batch)-1:], tx.dialect.Explain(err))
		return
	}
	if len(batch) > 1 {
		err := d.together(tx, batch)
		if err == nil || errors.Is(err, ErrLost) {
			d.ended(batch, err)
			return
		}
	}
	for i := range batch {
		d.ended(batch[i:i+1], tx.dialect.Explain(d.together(tx, batch[i:i+1])))
	}
}

// ended tells how a transaction ended to those whose writes were in it.
func (d *DB) ended(batch []*write, err error) {
	disk := d.p.Disk
	if err != nil {
		disk = nil
	}
	if d.p.Server != nil && slices.ContainsFunc(batch, func(w *write) bool { return w.put == 0 }) {
		d.put.passed(d.tx.trip)
	}
	if d.tx.owes && d.later(rest(), nil) {
		d.tx.owes = false
	}
	waiting := make([]*Pending, 0, len(batch))
	for _, w := range batch {
		err := cmp.Or(err, w.unknown)
		w.fail(err)
		if w.made != nil {
			w.made <- err
		}
		if disk == nil {
			w.Tell(err)
		}
		waiting = append(waiting, &w.Pending)
	}
	if disk != nil {
		disk.Committed(waiting)
	}
}

// Atomic runs fn within a transaction: for what runs outside of one.
func (tx *Tx) Atomic(fn func() error) error {
	_, err := tx.atomic(cmp.Or(tx.dialect.Step, tx.dialect.Begin), Ending{}, fn)
	return err
}

// atomic is Atomic. name is that of a transaction whose end was asked for, "" where
// none has a name.
func (tx *Tx) atomic(begin string, end Ending, fn func() error) (name string, err error) {
	if _, err := tx.Exec(begin); err != nil {
		return "", fmt.Errorf("begin: %w", err)
	}
	tx.begun, tx.open = begin, tx.open[:0]
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a write: %v", p)
		}
		tx.unasked()
		if err != nil {
			_, _ = tx.Exec("ROLLBACK")
		}
		tx.begun, tx.by = "", nil
		tx.count()
	}()
	if !end.Soon { // else it is one that nobody reads after
		if err := tx.look(); err != nil {
			return "", err
		}
	}
	if err := fn(); err != nil {
		return "", err
	}
	return tx.commit(end)
}

func (tx *Tx) commit(end Ending) (name string, err error) {
	tx.announce()
	if tx.server == nil {
		if _, err := tx.Exec("COMMIT"); err != nil {
			return "", fmt.Errorf("commit: %w", err)
		}
		return "", nil
	}
	tx.changed = true // should its end be lost, and turn out to be good
	end.Tell = slices.ContainsFunc(tx.touched, func(c *counter) bool { return c.kept.Load() })
	asked := time.Now()
	done, err := tx.server.Commit(tx, end)
	if err != nil {
		return done.Name, fmt.Errorf("commit: %w", err)
	}
	tx.keep()
	tx.trip = time.Since(asked)
	tx.changed, tx.owes = done.Changed, tx.owes || done.Owes
	tx.changes.saw(done.Version, asked)
	tx.changes.said(done.Version, done.Told)
	return "", nil
}

// Insert runs a statement that inserts a row into a table with a column id, and returns
// its number; 0 when it inserted none. (Where the driver knows it, RETURNING would cost
// SQLite a table of its own for every row.)
func (tx *Tx) Insert(query string, args ...any) (id int64, err error) {
	if tx.dialect.Returning {
		err = tx.QueryRow(query+" RETURNING id", args...).Scan(&id)
		return id, NoRow(err, nil)
	}
	res, err := tx.Exec(query, args...)
	if err != nil {
		return 0, err
	}
	if n, err := res.RowsAffected(); n == 0 {
		return 0, err
	}
	return res.LastInsertId()
}

// Exec runs a statement that returns no rows: one that has rows left is still
// under way for SQLite, and nothing can be committed. The driver starts a goroutine per call for any
// context that can end, so none is passed.
func (tx *Tx) Exec(query string, args ...any) (sql.Result, error) {
	st, list, err := tx.kept.get(query, args)
	if err != nil {
		return nil, tx.dialect.Explain(err)
	}
	res, err := st.Exec(list...)
	tx.touch(st.changes...)
	return res, tx.dialect.Explain(err)
}

// Count runs a statement and adds the number of rows it changed to n.
func (tx *Tx) Count(n *int64, query string, args ...any) error {
	res, err := tx.Exec(query, args...)
	if err != nil {
		return err
	}
	k, err := res.RowsAffected()
	*n += k
	return err
}

// QueryRow reads one row inside the transaction.
func (tx *Tx) QueryRow(query string, args ...any) *Row {
	st, list, err := tx.kept.get(query, args)
	if err != nil {
		return &Row{err: tx.dialect.Explain(err)}
	}
	tx.touch(st.changes...)
	return &Row{row: st.QueryRow(list...), explain: tx.dialect.Explain}
}

// Query reads rows inside the transaction; the caller closes them.
func (tx *Tx) Query(query string, args ...any) (*sql.Rows, error) {
	return tx.rows(context.Background(), query, args)
}

func (tx *Tx) rows(ctx context.Context, query string, args []any) (*sql.Rows, error) {
	st, list, err := tx.kept.get(query, args)
	if err != nil {
		return nil, tx.dialect.Explain(err)
	}
	tx.touch(st.changes...)
	rows, err := st.QueryContext(ctx, list...)
	return rows, tx.dialect.Explain(err)
}

func (tx *Tx) close() {
	tx.kept.close()
	if tx.conn != nil {
		_ = tx.conn.Close()
	}
	tx.conn = nil
}
