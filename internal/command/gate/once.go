package gate

import (
	"sync"
	"time"
)

// maxRemembered bounds how many people a process remembers; beyond it some are
// forgotten, which costs nothing but a repeated notice.
const maxRemembered = 10_000

// once lets something happen once per key and period.
type once struct {
	every time.Duration
	mu    sync.Mutex // guards seen
	seen  map[string]time.Time
}

func newOnce(every time.Duration) *once {
	return &once{every: every, seen: map[string]time.Time{}}
}

// first reports whether this is the first time in its period.
func (o *once) first(key string, now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if at, ok := o.seen[key]; ok && now.Sub(at) < o.every {
		return false
	}
	makeRoom(o.seen, func(at time.Time) bool { return now.Sub(at) >= o.every })
	o.seen[key] = now
	return true
}

// makeRoom keeps a map below maxRemembered: stale entries leave first, then
// any.
func makeRoom[V any](all map[string]V, stale func(V) bool) {
	if len(all) < maxRemembered {
		return
	}
	for k, v := range all {
		if stale(v) {
			delete(all, k)
		}
	}
	for k := range all {
		if len(all) < maxRemembered*3/4 { // so that the next many inserts are cheap
			return
		}
		delete(all, k)
	}
}
