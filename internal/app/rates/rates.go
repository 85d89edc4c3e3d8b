// Package rates limits how often something happens under a name, in memory. It knows nothing
// of what that is.
package rates

import (
	"sync"
	"time"
)

// Rates counts under many names. It is safe for many goroutines.
type Rates struct {
	now func() time.Time

	mu  sync.Mutex // guards all
	all map[string]rate
}

// New counts nothing yet.
func New(now func() time.Time) *Rates { return &Rates{now: now, all: map[string]rate{}} }

// rate is what may still happen under a name, refilled steadily.
type rate struct {
	left float64
	at   time.Time
}

// maxNames is how many names are remembered; then all begin anew.
const maxNames = 10_000

// Take counts one; wait is how long it should wait instead, 0 for not at all. perMinute is how
// many may happen within a minute, also at once; 0 is no limit.
func (r *Rates) Take(name string, perMinute int) (wait time.Duration) {
	most := float64(perMinute)
	if most <= 0 {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	one, ok := r.all[name]
	if !ok {
		if len(r.all) >= maxNames {
			clear(r.all)
		}
		one = rate{most, now}
	}
	one = rate{min(most, one.left+max(0, now.Sub(one.at).Minutes())*most), now}
	if one.left < 1 {
		r.all[name] = one
		return time.Duration((1-one.left)/most*float64(time.Minute)).Truncate(time.Second) + time.Second
	}
	one.left--
	r.all[name] = one
	return 0
}
