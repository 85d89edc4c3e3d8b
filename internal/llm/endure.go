package llm

import (
	"context"
	"sync"
	"time"
)

// Endurance bounds what all model calls made for one message try again together, until one
// succeeds. It is safe for many goroutines.
type Endurance struct {
	mu     sync.Mutex // guards the rest
	tell   func(error)
	told   bool // of a failure, since a model worked
	failed int  // requests in a row
	waited time.Duration
	of     map[string]error // why a model failed, by name

	until time.Time     // the last wait was to last until then
	last  time.Duration // and was so long
	why   error
	again bool // the message is handled again, and nobody has waited for the rest
}

type enduranceKey struct{}

// Enduring returns a context whose model calls share e, which may be that of an earlier try to
// answer the same message; no calls of that are under way. tell is told of the first failure in
// a row that is worth another try, and of nil when a model answers after that; it must not
// block, and may be nil.
func Enduring(ctx context.Context, e *Endurance, tell func(error)) context.Context {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tell, e.told, e.again = tell, false, e.waited > 0
	return context.WithValue(ctx, enduranceKey{}, e)
}

// EnduranceOf returns the Endurance of a context, a new one if it has none.
func EnduranceOf(ctx context.Context) *Endurance {
	if e, ok := ctx.Value(enduranceKey{}).(*Endurance); ok {
		return e
	}
	return &Endurance{}
}

// Failed notes that a request to a model failed.
func (e *Endurance) Failed(model string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.of == nil {
		e.of = map[string]error{}
	}
	e.failed++
	e.of[model] = err
}

// Wait notes that somebody waits before they try again.
func (e *Endurance) Wait(d time.Duration, why error) {
	e.mu.Lock()
	e.waited += max(d, 1)
	e.until, e.last, e.why = time.Now().Add(d), d, why
	e.mu.Unlock()
	e.says(why)
}

// Resume goes on where an earlier try to answer the message was cut short: it tells of its
// failure, waits for the rest of its wait, and returns how long to wait after the next failure;
// first, where there was none. An error is that of ctx.
func (e *Endurance) Resume(ctx context.Context, first time.Duration) (time.Duration, error) {
	e.mu.Lock()
	again, left, last, why := e.again, time.Until(e.until), e.last, e.why
	e.again = false
	e.mu.Unlock()
	if !again {
		return first, nil
	}
	e.says(why)
	return max(first, last), Pause(ctx, left)
}

// says tells of a failure, once, and of an answer after it.
func (e *Endurance) says(why error) {
	e.mu.Lock()
	news := e.told != (why != nil) && e.tell != nil
	e.told = why != nil
	e.mu.Unlock()
	if news {
		e.tell(why)
	}
}

// Worked forgets the failures: a model answered.
func (e *Endurance) Worked() {
	e.mu.Lock()
	e.failed, e.waited, e.of = 0, 0, nil
	e.mu.Unlock()
	e.says(nil)
}

// Spent returns how many requests failed in a row, and how long was waited between them.
func (e *Endurance) Spent() (failed int, waited time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.failed, e.waited
}

// Why returns why a model failed, nil if it did not.
func (e *Endurance) Why(model string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.of[model]
}
