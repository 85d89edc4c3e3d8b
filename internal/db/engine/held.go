package engine

import "context"

// Held writes to a DB what needs no order among all transactions. On a server its
// transactions are not serializable: each statement sees what was committed before it,
// and other processes are in the way only where they change the same rows. So a write
// belongs here when it is right whatever others commit between two of its statements,
// because
//   - it decides by rows that it holds until it ends: changed, or read FOR SHARE or FOR
//     UPDATE, and not merely read;
//   - or one statement finds, decides and changes at once, such as a sum that is added to
//     or a row that is there already;
//   - and no serializable transaction rests on a row that this one changes and that one
//     only reads: they are protected from each other, and not from these.
//
// Where it shares a commit with other writes, and where something is not as it was
// foreseen (Tx.Changes), it is serializable all the same; see Tx.Held.
type Held struct{ d *DB }

// Held returns the way to write what needs no order among all transactions.
func (d *DB) Held() Held { return Held{d} }

// Write is DB.Write.
func (h Held) Write(ctx context.Context, fn func(*Tx) error) error {
	return h.d.write(ctx, h.work(fn))
}

// Soon is DB.Soon.
func (h Held) Soon(ctx context.Context, fn func(*Tx) error) error {
	w := h.work(fn)
	w.Soon = true
	return h.d.write(ctx, w)
}

// QueueSoon is like Soon, but returns once fn is queued; wait returns what Soon would.
func (h Held) QueueSoon(ctx context.Context, fn func(*Tx) error) (wait func() error) {
	w := h.work(fn)
	w.Soon = true
	return h.d.enqueue(ctx, w)
}

// Stage is DB.Stage.
func (h Held) Stage(ctx context.Context, fn func(*Tx) error) (durable func() error, err error) {
	return h.d.stage(ctx, h.work(fn))
}

// Later is DB.Later.
func (h Held) Later(fn func(*Tx) error, failed func(error)) { _ = h.d.later(h.work(fn), failed) }

func (h Held) work(fn func(*Tx) error) *write {
	w := newWrite(fn)
	w.held = true
	return w
}

// Held reports whether each statement of the transaction sees what others committed
// before it. Otherwise all of them see what was there when it began.
func (tx *Tx) Held() bool { return tx.begun != "" && tx.begun == tx.dialect.Held }

// way is how a transaction of some writes begins.
func (d Dialect) way(batch []*write) string {
	if d.Held == "" {
		return d.Begin
	}
	for _, w := range batch {
		if !w.held {
			return d.Begin
		}
	}
	return d.Held
}
