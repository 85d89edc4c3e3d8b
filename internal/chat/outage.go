package chat

import (
	"context"
	"sync"
	"time"
)

// outage tracks a platform that rejects messages. One part at a time is retried soon, so
// that the end of the outage is noticed within a moment without flooding the platform;
// when any part gets through, all go on.
type outage struct {
	mu      sync.Mutex    // guards what follows
	probing bool          // a part is being retried soon
	over    chan struct{} // closed when a part gets through
	sent    uint64        // how many did
}

// through records a delivery.
func (o *outage) through() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent++
	close(o.over)
	o.over = make(chan struct{})
}

// setback is a part's record of failure: when it was first tried, and how many others
// had been delivered at its last failure.
type setback struct {
	first time.Time
	since uint64
}

// begin returns the record of a part that was not tried yet.
func (o *outage) begin() setback {
	o.mu.Lock()
	defer o.mu.Unlock()
	return setback{first: time.Now(), since: o.sent}
}

// hopeful is how long one failing part is retried quickly while others get through.
const hopeful = time.Minute

// wait waits at most d before the next attempt; false means that ctx ended first. If
// others got through since the part's last failure, the trouble is its own, and no other
// delivery ends its wait. A platform that asked for silence gets it.
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

// Sleep waits for d, or returns false when ctx ended first. It returns at once
// for 0.
func Sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
