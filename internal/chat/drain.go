package chat

import (
	"context"
	"time"
)

// Shut stops taking work, as Drain does, which comes next.
func (h *Hub) Shut() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
}

// flushGrace is how long Drain waits for requests on the wire.
const flushGrace = 5 * time.Second

// Drain stops taking work and waits until the lanes are empty. When ctx ends
// first, running turns are cancelled with ErrDraining and parked: the next
// process answers them. It returns at most flushGrace later and reports how
// many messages were left.
func (h *Hub) Drain(ctx context.Context) (parked int) {
	h.Shut()
	empty := make(chan struct{})
	go func() { h.idle.Wait(); close(empty) }()
	select {
	case <-empty:
	case <-ctx.Done():
		_, parked = h.Active()
		h.abort(ErrDraining)
		late := time.NewTimer(flushGrace)
		defer late.Stop()
		select {
		case <-empty:
		case <-late.C:
		}
	}
	h.abort(ErrDraining)
	h.strays.end()
	return parked
}
