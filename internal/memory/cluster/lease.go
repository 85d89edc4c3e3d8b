package cluster

import (
	"sync"
	"time"
)

// How a lease is kept. It ends Lease after the server granted it. The node itself takes
// it for ended margin earlier, counted from before it asked, so that it never believes
// in a lease which the server has ended, however slow the network was.
const (
	Lease      = 2 * time.Second
	renewEvery = 500 * time.Millisecond
	renewLimit = time.Second // of one attempt, and of connecting to one of several servers
	margin     = 500 * time.Millisecond
)

// lease is a node's view of its own lease. The zero value has ended.
type lease struct {
	mu   sync.Mutex // guards sent
	sent time.Time  // when the last renewal that succeeded was asked for
}

// renewed notes that a renewal succeeded which was asked for at a time. An older one
// that comes late changes nothing.
func (l *lease) renewed(sent time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if sent.After(l.sent) {
		l.sent = sent
	}
}

// over ends it.
func (l *lease) over() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent = time.Time{}
}

// left returns for how long it is still certain, 0 or less when it is not. The
// monotonic clock stands still while a machine sleeps, and the other one may be set
// back, so the one that went further counts.
func (l *lease) left() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sent.IsZero() {
		return 0
	}
	now := time.Now()
	return Lease - margin - max(now.Sub(l.sent), now.Round(0).Sub(l.sent.Round(0)))
}

func (l *lease) alive() bool { return l.left() > 0 }
