package llm

import (
	"context"
	"sync"
	"time"
)

// Endurance bounds what all model calls made for one message try again together, until one
// succeeds. It is safe for many goroutines.
type Endurance struct {
	tell func(error)

	mu     sync.Mutex // guards the rest
	failed int        // requests in a row
	waited time.Duration
	of     map[string]error // why a model failed, by name
}

type enduranceKey struct{}

// Enduring returns a context whose model calls share one Endurance. tell is told of the
// first failure in a row that is worth another try; it must not block, and may be nil.
func Enduring(ctx context.Context, tell func(error)) context.Context {
	return context.WithValue(ctx, enduranceKey{}, &Endurance{tell: tell})
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
	first := e.waited == 0
	e.waited += max(d, 1)
	e.mu.Unlock()
	if first && e.tell != nil {
		e.tell(why)
	}
}

// Worked forgets the failures: a model answered.
func (e *Endurance) Worked() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failed, e.waited, e.of = 0, 0, nil
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
