package engine

import "slices"

// mostPassed is how many batches may go ahead of a write that is not Held: an owner waits
// for that many trips to a server.
const mostPassed = 8

// gather takes what is queued, waiting for the first; false after Close.
func (d *DB) gather() bool {
	if len(d.waiting) == 0 {
		w := d.next()
		if w == nil {
			return false
		}
		d.waiting = append(d.waiting, w)
	}
	for len(d.waiting) < maxBatch {
		select {
		case w, ok := <-d.queue:
			if !ok {
				return true
			}
			d.waiting = append(d.waiting, w)
		default:
			return true
		}
	}
	return true
}

// swift reports whether a write is Held, and one trip long for it.
func (w *write) swift() bool { return w.held && !w.bare && w.put != resting }

// pick moves to batch what waits and shares the next commit, in its order. In a file that is
// all of it, up to one that runs outside a transaction. On a server those that are Held go
// first, by themselves: beside another one each would be serializable, and ask for what it
// has foreseen by trips of its own; and the others, such as chores, are some trips long.
func (d *DB) pick(batch []*write) []*write {
	server, left := d.p.Server != nil, d.waiting[:0]
	swift := server && d.waiting[0].passed < mostPassed && slices.ContainsFunc(d.waiting, (*write).swift)
	full := false
	for _, w := range d.waiting {
		apart := server && w.put == resting // whoever shared its commit would wait for what was put off
		if full || server && w.swift() != swift || apart && len(batch) > 0 {
			left = append(left, w)
			if !w.swift() {
				w.passed++
			}
			continue
		}
		batch = append(batch, w)
		full = w.bare || apart
	}
	clear(d.waiting[len(left):])
	d.waiting = left
	return batch
}
