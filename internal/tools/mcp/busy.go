package mcp

import (
	"context"
	"sync"
	"time"
)

// busy tracks a server's work for us. One that works on a call need not answer anything
// else meanwhile: nobody asks whether it lives, and it is never ended for being slow.
type busy struct {
	mu        sync.Mutex // guards what follows
	calls     int        // under way
	abandoned bool       // it may still work on a call that nobody waits for
	postponed bool       // a look was wanted meanwhile
}

// begin notes a call; what it returns is called when the call is over. Whoever
// gives up waiting, by ctx, leaves the server at work.
func (r *remote) begin(ctx context.Context) (end func()) {
	r.busy.mu.Lock()
	r.busy.calls++
	r.busy.mu.Unlock()
	leave := sync.OnceFunc(func() {
		r.busy.mu.Lock()
		defer r.busy.mu.Unlock()
		if ctx.Err() != nil {
			r.busy.abandoned, r.busy.postponed = true, true // is it slow or dead?
		}
		if r.busy.calls--; r.busy.calls == 0 && r.busy.postponed {
			r.busy.postponed = false
			r.wake()
		}
	})
	stop := context.AfterFunc(ctx, leave)
	return func() { stop(); leave() }
}

// postpone puts a look off to the end of the calls that are under way, if there
// are any.
func (r *remote) postpone() bool {
	r.busy.mu.Lock()
	defer r.busy.mu.Unlock()
	r.busy.postponed = r.busy.calls > 0
	return r.busy.postponed
}

// patience returns how long a list of tools may take now: one who gave up on a call
// does not know how long the server is at it.
func (r *remote) patience() time.Duration {
	r.busy.mu.Lock()
	defer r.busy.mu.Unlock()
	if r.busy.abandoned {
		return callTimeout
	}
	return listTimeout
}

// excused reports whether a look which took that long may have failed because the
// server was at work; then there will be another.
func (r *remote) excused(patience time.Duration) bool {
	if r.postpone() {
		return true
	}
	if r.patience() <= patience {
		return false
	}
	r.wake()
	return true
}

// answered notes that the server has caught up.
func (r *remote) answered() {
	r.busy.mu.Lock()
	defer r.busy.mu.Unlock()
	r.busy.abandoned = false
}
