package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Bounds of taking a transaction up again.
const (
	// tries is how often others may be in the way. Each time the pause is longer, up
	// to longest, and of a random length, so that two do not meet again.
	tries   = 12
	longest = 200 * time.Millisecond
	// reachable is how long a server may be away before those who wait are told.
	reachable = 5 * time.Second
	between   = 100 * time.Millisecond
)

// together runs some writes in one transaction. Where others were in the way, or the
// connection was lost, it does so again, unless the transaction turns out to have been
// committed.
func (d *DB) together(tx *Tx, batch []*write) error {
	end := d.ending(batch)
	begin := tx.dialect.way(batch)
	for try := 1; ; try++ {
		if err := d.connected(tx); err != nil {
			return err
		}
		if err := d.redo(tx); err != nil {
			if try < tries {
				continue
			}
			if tx.conn == nil { // what ended the connection says more than that it is closed
				return err
			}
		}
		name, err := tx.atomic(begin, end, func() error {
			for _, w := range batch {
				tx.by = w
				if err := w.fn(tx); err != nil {
					return err
				}
			}
			return nil
		})
		switch {
		case err == nil && d.p.Server != nil:
			d.doubt(tx, end.Soon, batch)
			return nil
		case err == nil || d.p.Server == nil || try == tries:
			return err
		case errors.Is(err, ErrLost):
			done, again := d.reconnect(tx, name)
			if done { // and with it whatever was before
				d.unsure, d.lost = nil, false
				tx.keep()
				d.doubt(tx, end.Soon, batch)
			}
			if done || again != nil {
				return again
			}
		case errors.Is(err, ErrConflict):
			time.Sleep(time.Duration(rand.Int64N(int64(min(longest, time.Millisecond<<try)))))
		case begin != tx.dialect.Step && len(batch) == 1 && tx.said(err):
			begin = tx.dialect.Step // so that the error is where its statement is
		default:
			return err
		}
	}
}

// ending is how the transaction of some writes is to end.
func (d *DB) ending(batch []*write) Ending {
	end := Ending{Soon: len(d.unsure) < mostUnsure, Again: true}
	for _, w := range batch {
		end.Soon = end.Soon && w.Soon
		end.Again = end.Again && w.Soon && w.put != off
		end.Rest = end.Rest || w.put == resting
	}
	return end
}

// mostUnsure is how many writes at most may be lost with a server's memory.
const mostUnsure = 256

// doubt notes what a server may lose, should it end before it is on a disk: that is sure
// with the next commit that is waited for.
func (d *DB) doubt(tx *Tx, soon bool, batch []*write) {
	switch {
	case soon && tx.changed:
		for _, w := range batch {
			if w.failed == nil { // a count may be short
				d.unsure = append(d.unsure, w)
			}
		}
	case tx.changed:
		d.unsure, d.lost = nil, false
	}
}

// redo does again what a server may have lost, in its order, before anything else is
// done. What others made impossible meanwhile is theirs.
func (d *DB) redo(tx *Tx) error {
	for d.lost && len(d.unsure) > 0 {
		_, err := tx.atomic(cmp.Or(tx.dialect.Step, tx.dialect.Begin), Ending{}, func() error { return d.unsure[0].fn(tx) })
		if errors.Is(err, ErrLost) {
			tx.close()
		}
		if errors.Is(err, ErrLost) || errors.Is(err, ErrConflict) {
			return err
		}
		d.unsure = d.unsure[1:]
	}
	d.lost = false
	return nil
}

// connected sees to it that the writer has a connection.
func (d *DB) connected(tx *Tx) error {
	if tx.conn != nil {
		return nil
	}
	_, err := d.reconnect(tx, "")
	return err
}

// reconnect gives the writer another connection, and reports whether the transaction
// of that name, if it has one, was committed before the last one was lost.
func (d *DB) reconnect(tx *Tx, name string) (committed bool, err error) {
	tx.close()
	tx.changes.elsewhere.Add(1)
	d.lost = true
	ctx, cancel := context.WithTimeout(context.Background(), reachable)
	defer cancel()
	for {
		conn, err := d.p.Server.Connect(ctx)
		if err == nil {
			tx.use(conn)
			if name == "" {
				return false, nil
			}
			if committed, err = d.p.Server.Committed(ctx, conn, name); err == nil {
				return committed, nil
			}
			tx.close()
		}
		if d.over() {
			return false, fmt.Errorf("%w: %w", ErrClosed, err)
		}
		select {
		case <-ctx.Done():
			return false, fmt.Errorf("%w: %w", ErrLost, err)
		case <-time.After(between):
		}
	}
}

func (d *DB) over() bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.closed
}

// patiently reads again, for as long as a server may be away, where the connection was
// lost.
func patiently(read func() error) error {
	deadline := time.Now().Add(reachable)
	for {
		err := read()
		if !errors.Is(err, ErrLost) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(between)
	}
}
