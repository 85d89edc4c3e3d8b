package engine

import (
	"context"
	"database/sql"
	"sync"
	"time"
)

// restless is how long what nobody waits for is put off.
const restless = 100 * time.Millisecond

// On a server it is trips of its own, behind which no message should stand, so it waits for
// a moment without other writes. The steps of a message are no more than quietTrips apart,
// and of the writer's time it takes a tenth at most: it is some four trips.
const (
	quietTrips = 4
	mostTrips  = 40
	mostOff    = time.Second // in all, on a server that is near
)

// putting says whether a write is put off, or carries out those that are.
type putting byte

const (
	off     putting = iota + 1 // it is one
	resting                    // it comes to do them
)

// put holds the writes that wait for another one to go with.
type put struct {
	mu    sync.Mutex // guards what follows
	off   []*write
	doing bool          // some were taken, and are not done yet
	alarm *time.Timer   // nil before the first
	since time.Time     // the first of off was put off
	wrote time.Time     // the last write ended that somebody waited for; on a server
	trip  time.Duration // to the server and back, the last time
}

// Later is like Soon for a write that nobody waits for, such as a count: it goes with
// the next write of anybody, ahead of it, and alone 100 ms later at the latest. On a
// server it lets those pass that are Held, which it would only make longer, and goes once
// none came for a moment, or after a second, or 40 trips if that is longer.
// A process that is killed meanwhile never made it. failed, unless it is nil, is told of
// an error; it must not block.
func (d *DB) Later(fn func(*Tx) error, failed func(error)) { _ = d.later(newWrite(fn), failed) }

// later reports whether it is put off: not after Close.
func (d *DB) later(w *write, failed func(error)) bool {
	w.Soon, w.failed = true, failed
	if w.put == 0 {
		w.put = off
	}
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.closed {
		w.fail(ErrClosed)
		return false
	}
	d.put.mu.Lock()
	defer d.put.mu.Unlock()
	if d.put.off = append(d.put.off, w); len(d.put.off) > 1 {
		return true
	}
	d.put.since = time.Now()
	if d.put.alarm == nil {
		d.put.alarm = time.AfterFunc(restless, func() {
			if !d.put.longer(time.Now()) {
				_ = d.Settle(context.Background())
			}
		})
		return true
	}
	d.put.alarm.Reset(restless)
	return true
}

// Settle returns once what was put off is committed, for whoever is about to read it: with
// Later, and by a server (Sealed.Owes).
func (d *DB) Settle(ctx context.Context) error {
	d.put.mu.Lock()
	none := len(d.put.off) == 0 && !d.put.doing
	d.put.mu.Unlock()
	if none {
		return nil
	}
	return d.write(ctx, rest())
}

// QuerySettled is Query once what was put off is committed.
func (d *DB) QuerySettled(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := d.Settle(ctx); err != nil {
		return nil, err
	}
	return d.QueryContext(ctx, query, args...)
}

// rest is a write that only comes to have done what was put off.
func rest() *write {
	w := newWrite(func(*Tx) error { return nil })
	w.Soon, w.held, w.put = true, true, resting
	return w
}

// ahead takes what was put off and goes ahead of a write.
func (d *DB) ahead(w *write) []*write {
	if d.p.Server != nil && w.held && w.put != resting {
		return nil
	}
	return d.put.dues()
}

// dues takes what was put off.
func (p *put) dues() (due []*write) {
	p.mu.Lock()
	defer p.mu.Unlock()
	due, p.off = p.off, nil
	p.doing = len(due) > 0
	if p.alarm != nil {
		p.alarm.Stop()
	}
	return due
}

// longer puts off once more what is, while others write on a server, and reports whether it did.
func (p *put) longer(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	wait := min(p.wrote.Add(max(restless, quietTrips*p.trip)).Sub(now), p.since.Add(max(mostOff, mostTrips*p.trip)).Sub(now))
	if len(p.off) == 0 || wait <= 0 {
		return false
	}
	p.alarm.Reset(wait)
	return true
}

// passed notes that a server took what somebody waits for, and how long it was on its way.
func (p *put) passed(trip time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wrote, p.trip = time.Now(), trip
}

// done says that what was taken is.
func (p *put) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.doing = false
}

// fail tells whoever wanted to know that a write is lost.
func (w *write) fail(err error) {
	if w.failed != nil && err != nil {
		w.failed(err)
	}
}
