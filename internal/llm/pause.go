package llm

import (
	"context"
	"time"
)

// Pause waits for d, as between two attempts, or returns why ctx ended first.
func Pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
