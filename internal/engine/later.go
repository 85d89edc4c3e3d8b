package engine

import (
	"context"
	"sync"
	"time"
)

// restless is how long what nobody waits for is put off.
const restless = 100 * time.Millisecond

// put holds the writes that wait for another one to go with.
type put struct {
	mu    sync.Mutex // guards what follows
	off   []*write
	alarm *time.Timer // nil before the first
}

// Later is like Soon for a write that nobody waits for, such as a count: it goes with
// the next write of anybody, ahead of it, and alone 100 ms later at the latest. On a
// server it lets those pass that are Held and waited for: it would only make them longer.
// A process that is killed meanwhile never made it. failed, unless it is nil, is told of
// an error; it must not block.
func (d *DB) Later(fn func(*Tx) error, failed func(error)) { d.later(newWrite(fn), failed) }

func (d *DB) later(w *write, failed func(error)) {
	w.Soon, w.failed = true, failed
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.closed {
		w.fail(ErrClosed)
		return
	}
	d.put.mu.Lock()
	defer d.put.mu.Unlock()
	if d.put.off = append(d.put.off, w); len(d.put.off) > 1 {
		return
	}
	if d.put.alarm == nil {
		d.put.alarm = time.AfterFunc(restless, func() { _ = d.Settle(context.Background()) })
		return
	}
	d.put.alarm.Reset(restless)
}

// Settle returns once what was put off with Later is committed, for whoever is about to
// read it.
func (d *DB) Settle(ctx context.Context) error {
	d.put.mu.Lock()
	none := len(d.put.off) == 0
	d.put.mu.Unlock()
	if none {
		return nil
	}
	return d.Soon(ctx, func(*Tx) error { return nil })
}

// ahead takes what was put off and goes ahead of a write.
func (d *DB) ahead(w *write) []*write {
	if d.p.Server != nil && w.held && !w.Soon {
		return nil
	}
	return d.put.dues()
}

// dues takes what was put off.
func (p *put) dues() (due []*write) {
	p.mu.Lock()
	defer p.mu.Unlock()
	due, p.off = p.off, nil
	if p.alarm != nil {
		p.alarm.Stop()
	}
	return due
}

// fail tells whoever wanted to know that a write is lost.
func (w *write) fail(err error) {
	if w.failed != nil && err != nil {
		w.failed(err)
	}
}
