package chat

import (
	"context"
	"sync"
	"time"
)

// outage is what is known of a platform that does not take messages just now. One
// part at a time tries again soon, so that the end of an outage is noticed within
// a moment and the platform is not flooded; when any part gets through, all go on.
type outage struct {
	mu      sync.Mutex    // guards what follows
	probing bool          // a part tries again soon
	over    chan struct{} // closed when a part gets through
	sent    uint64        // how many did
}

func newOutage() *outage { return &outage{over: make(chan struct{})} }

// through notes that a part was delivered.
func (o *outage) through() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent++
	close(o.over)
	o.over = make(chan struct{})
}

// setback is what is known of a part that failed: when it first did, and how many
// others had been delivered when it did last, or when it was begun.
type setback struct {
	first time.Time
	since uint64
}

// begin is where a part stands that was not tried yet.
func (o *outage) begin() setback {
	o.mu.Lock()
	defer o.mu.Unlock()
	return setback{first: time.Now(), since: o.sent}
}

// hopeful is for how long a part that alone does not get through is tried often.
const hopeful = time.Minute

// wait waits after a setback, at most d. Where others got through since the one
// before, the trouble is that part's own, and nobody else ends its wait. It returns
// false when ctx ends first.
// A platform that asked for silence gets it.
func (o *outage) wait(ctx context.Context, d time.Duration, s *setback, silence *WaitError) bool {
	if silence != nil {
		return Sleep(ctx, d)
	}
	o.mu.Lock()
	alone := o.sent != s.since
	s.since = o.sent
	if alone {
		o.mu.Unlock()
		if time.Since(s.first) < hopeful {
			d = min(d, lastProbe)
		}
		return Sleep(ctx, d)
	}
	over := o.over
	probe := !o.probing
	o.probing = true
	o.mu.Unlock()
	if probe {
		d = min(d, lastProbe)
		defer func() {
			o.mu.Lock()
			o.probing = false
			o.mu.Unlock()
		}()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-over:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
