package wrap

import (
	"context"
	"errors"
	"sync"
	"time"

	"parley/internal/llm"
)

// How long an endpoint rests after a failure: twice as long each time, and
// longer from the start where waiting does not help.
const (
	shortRest   = 5 * time.Second
	longRest    = time.Minute
	longestRest = 5 * time.Minute
)

// Breaker lets an endpoint rest that failed. After its rest one call goes
// through as a probe, and the others go past it until that call has ended. The
// zero Breaker is closed. It is safe for many goroutines.
type Breaker struct {
	mu      sync.Mutex // guards the rest
	fails   int        // one after the other
	until   time.Time  // of the rest
	probing bool
	why     error
}

// enter reports whether a call may go through. The caller calls leave after it.
func (b *Breaker) enter() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fails == 0 {
		return true
	}
	if b.probing || time.Now().Before(b.until) {
		return false
	}
	b.probing = true
	return true
}

// leave notes how a call ended. That somebody gave up says nothing, nor does a
// failure that is about the request.
func (b *Breaker) leave(ctx context.Context, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
	rest := restFor(err)
	switch {
	case err != nil && ctx.Err() != nil:
	case rest > 0:
		b.until, b.why = time.Now().Add(min(rest<<min(b.fails, 6), max(longestRest, rest))), err
		b.fails++
	default:
		b.fails, b.why = 0, nil
	}
}

// restFor returns the first rest after a failure, 0 for none.
func restFor(err error) time.Duration {
	var e *llm.Error
	if !errors.As(err, &e) {
		return 0
	}
	switch e.Class {
	case llm.ErrUnavailable, llm.ErrRateLimited:
		return max(shortRest, e.RetryAfter)
	case llm.ErrAuth, llm.ErrQuota, llm.ErrModelNotFound:
		return longRest
	}
	return 0
}

// failures returns how many calls failed, one after the other.
func (b *Breaker) failures() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.fails
}

// Resting says until when the endpoint rests, and why; nil for not at all.
func (b *Breaker) Resting() (until time.Time, why error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fails == 0 || !time.Now().Before(b.until) {
		return time.Time{}, nil
	}
	return b.until, b.why
}
