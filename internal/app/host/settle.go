package host

import (
	"context"
	"sync"
	"time"
)

// In a calm nothing happens for a moment, which is noticed within another; a lull is
// longer, and after the second one idle connections are closed, too.
const (
	calm   = 300 * time.Millisecond
	lull   = 25 * time.Second
	latest = 5 * time.Second // when first is called without a calm
)

// Settle keeps a process that has started small until ctx ends: after startup and during
// lulls it gives back all that is not needed. stirred has a token once something has happened. first
// is called once, for what may wait until the first messages are answered, and rest
// before each Release in a lull.
func Settle(ctx context.Context, stirred <-chan struct{}, first, rest func()) {
	next := time.NewTimer(calm)
	defer next.Stop()
	first = sync.OnceFunc(first)
	late := time.NewTimer(latest)
	defer late.Stop()
	// While it is busy the token is looked for at the end of each calm only, since to wake
	// up at once takes every message a switch of threads.
	for starting, quiet, listen := true, false, stirred; ; {
		select {
		case <-ctx.Done():
			return
		case <-late.C:
			first()
			continue
		case <-listen:
			quiet, listen = false, nil
			next.Reset(calm)
			continue
		case <-next.C:
		}
		if listen = stirred; len(stirred) > 0 {
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
