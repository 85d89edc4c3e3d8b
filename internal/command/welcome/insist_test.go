package welcome

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/chat"
)

// TestRegisteringIsTriedAgain: what cannot be registered at the start is tried
// again, less and less often, no sooner than the platform asks, and no more
// once it is done or the process ends.
func TestRegisteringIsTriedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := slog.New(slog.DiscardHandler)
		var gaps []time.Duration
		last, n := time.Now(), 0
		Insist(t.Context(), "x", log, func() error {
			gaps, last = append(gaps, time.Since(last)), time.Now()
			switch n++; {
			case n == 2:
				return &chat.WaitError{After: time.Minute, Err: errors.New("slow down")}
			case n < 12:
				return errors.New("down")
			}
			return nil
		})
		want := []time.Duration{0, 5 * time.Second, time.Minute, 20 * time.Second, 40 * time.Second}
		for i, d := range want {
			if gaps[i] != d {
				t.Errorf("try %d after %v, not %v", i, gaps[i], d)
			}
		}
		if gaps[11] != registerLast || n != 12 {
			t.Errorf("the last of %d tries came after %v", n, gaps[11])
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		Insist(ctx, "x", log, func() error { n++; return errors.New("down") })
		if n != 13 {
			t.Errorf("%d more tries after the end", n-12)
		}
	})
}
