// Package bucket limits how often something may happen to each of several names. It waits
// for nothing and forgets with the process.
package bucket

import (
	"sync"
	"time"
)

// Buckets limits names, each by itself. It is safe for many goroutines.
type Buckets struct {
	perMinute func() int
	now       func() time.Time

	mu    sync.Mutex // guards rates
	rates map[string]rate
}

// rate is what is left of a name, refilled steadily.
type rate struct {
	left float64
	at   time.Time
}

// maxNames is how many names are remembered; then all begin anew.
const maxNames = 10_000

// New returns full buckets. perMinute is asked each time; 0 is no limit.
func New(perMinute func() int, now func() time.Time) *Buckets {
	return &Buckets{perMinute: perMinute, now: now, rates: map[string]rate{}}
}

// Take counts one; wait is how long to wait instead, in whole seconds, 0 for not at all.
func (b *Buckets) Take(name string) (wait time.Duration) {
	most := float64(b.perMinute())
	if most <= 0 {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	r, ok := b.rates[name]
	if !ok {
		if len(b.rates) >= maxNames {
			clear(b.rates)
		}
		r = rate{most, now}
	}
	r = rate{min(most, r.left+max(0, now.Sub(r.at).Minutes())*most), now}
	if r.left < 1 {
		b.rates[name] = r
		return time.Duration((1-r.left)/most*float64(time.Minute)).Truncate(time.Second) + time.Second
	}
	r.left--
	b.rates[name] = r
	return 0
}
