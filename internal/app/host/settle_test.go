package host

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/text/waittest"
)

// TestSettleWaitsForCalm: deferred work waits for the first messages, but not forever,
// and catalogs are released only in lulls.
func TestSettleWaitsForCalm(t *testing.T) {
	for name, tt := range map[string]struct{ busy, silent, first time.Duration }{
		"calm":             {0, 0, 320 * time.Millisecond},
		"a moment":         {2 * time.Second, 0, 2750 * time.Millisecond},
		"very busy":        {time.Minute, 0, 5150 * time.Millisecond},
		"a slow model":     {0, 2 * time.Second, 2150 * time.Millisecond},
		"one that is away": {0, time.Hour, 5150 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				var first []time.Duration
				rests := 0
				var mu sync.Mutex
				stirred := make(chan struct{}, 1)
				ctx, cancel := context.WithCancel(t.Context())
				busy := func() bool { return time.Since(began) < tt.silent }
				go Settle(ctx, stirred, busy, func() { mu.Lock(); defer mu.Unlock(); first = append(first, time.Since(began)) },
					func() { mu.Lock(); defer mu.Unlock(); rests++ })
				for time.Since(began) < tt.busy {
					stirred <- struct{}{}
					waittest.Pass(100 * time.Millisecond)
				}
				waittest.Pass(20 * time.Second)
				mu.Lock()
				if len(first) != 1 || first[0] > tt.first || first[0] < tt.first-200*time.Millisecond {
					t.Errorf("first was called at %s", first)
				}
				if rests != 0 {
					t.Errorf("%d rests before a lull", rests)
				}
				mu.Unlock()
				waittest.Pass(time.Minute)
				mu.Lock()
				if rests < 2 || rests > 4 {
					t.Errorf("%d rests in a minute", rests)
				}
				mu.Unlock()
				cancel()
				synctest.Wait()
			})
		})
	}
}
