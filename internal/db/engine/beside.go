package engine

import (
	"context"
	"time"
)

// Bounds of what runs beside the writes that somebody waits for.
const (
	// whole is how long a chunk should take with its commit. Its steps get the time that the
	// last commit left over, within least and most.
	whole = 45 * time.Millisecond
	most  = 25 * time.Millisecond
	least = 2 * time.Millisecond
	// patience is how long a chunk waits for a moment without other writes; then
	// it gets a turn all the same, which ends with its first step.
	patience = 250 * time.Millisecond
)

// Beside runs fn alone in a transaction of its own once nobody else wants to
// write, and returns once it is durable. fn works in steps of a few milliseconds
// and asks more before each but the first: more is false once fn has had its
// share, or as soon as another write waits. What fn has not done by then is
// another call's. fn runs once at most; an error undoes the chunk.
func (d *DB) Beside(ctx context.Context, fn func(tx *Tx, more func() bool) error) error {
	return d.chunk(ctx, func(tx *Tx, more func() bool) error {
		return tx.Atomic(func() error { return fn(tx, more) })
	})
}

// BareBeside is like Beside, outside a transaction: for statements that are not
// allowed within one.
func (d *DB) BareBeside(ctx context.Context, fn func(tx *Tx, more func() bool) error) error {
	return d.chunk(ctx, fn)
}

func (d *DB) chunk(ctx context.Context, fn func(tx *Tx, more func() bool) error) (err error) {
	w := newWrite(func(tx *Tx) error {
		share := max(least, min(most, whole-d.tail))
		began, ending := time.Now(), time.Time{}
		err := fn(tx, func() bool {
			ending = time.Now()
			return len(d.queue) == 0 && len(d.waiting) == 0 && ending.Sub(began) < share
		})
		if !ending.IsZero() {
			d.tail = time.Since(ending)
		}
		return err
	})
	w.bare = true
	patient, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case <-d.done:
		return ErrClosed
	case d.aside <- w:
		err = w.wait()
	case <-patient.Done():
		if err = d.submit(ctx, w); err == nil {
			err = w.wait()
		}
	}
	if err == nil && d.p.File != nil {
		d.p.File.Fold()
	}
	return err
}

// next returns what the writer takes next; nil after Close. Queued writes go
// first.
func (d *DB) next() *write {
	select {
	case w := <-d.queue:
		return w
	default:
	}
	select {
	case w := <-d.queue:
		return w
	case w := <-d.aside:
		return w
	}
}
