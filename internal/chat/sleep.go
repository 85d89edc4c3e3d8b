package chat

import (
	"context"
	"time"
)

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
