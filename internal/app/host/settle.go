// Package host limits how far the process's memory grows and gives unused memory back. It
// knows nothing about the program. It imports next to nothing, so that its pace is set
// before other packages initialize.
package host

import (
	"context"
	"runtime/debug"
	"sync"
	"time"
)

// After calm without events, the process is idle; after lull it is idle for longer, and
// from the second lull on idle connections close, too.
const (
	calm   = 300 * time.Millisecond
	lull   = 25 * time.Second
	latest = 5 * time.Second // first is called by then even without a calm
)

// Settle keeps the process small until ctx ends: after startup and in lulls it gives back
// unused memory. stirred holds a token after an event. first is called once, for work that
// may wait for the first messages; rest is called before each Release in a lull. busy reports
// whether something is under way without events, such as the first messages while all of them
// wait for their model: what is given back before they go on is taken again a moment later.
func Settle(ctx context.Context, stirred <-chan struct{}, busy func() bool, first, rest func()) {
	next := time.NewTimer(calm)
	defer next.Stop()
	first = sync.OnceFunc(first)
	late := time.NewTimer(latest)
	defer late.Stop()
	// While busy, look for the token only at the end of each calm: waking up at once would
	// cost every message a switch of threads.
	for starting, waits, quiet, listen := true, true, false, stirred; ; {
		select {
		case <-ctx.Done():
			return
		case <-late.C:
			first()
			waits = false
			continue
		case <-listen:
			quiet, listen = false, nil
			next.Reset(calm)
			continue
		case <-next.C:
		}
		if listen = stirred; len(stirred) > 0 || starting && waits && busy() {
			next.Reset(calm)
			continue
		}
		switch {
		case starting:
			first()
			Release()
		case quiet:
			rest()
			Release()
		}
		starting, quiet = false, true
		next.Reset(lull)
	}
}

// Release returns unused memory to the system: free heap, and what SQLite has freed.
func Release() {
	debug.FreeOSMemory()
	trim()
}
