package chat

import (
	"context"
	"sync"
	"time"
)

// Credential is what is known of whether a platform still takes the bot's token. That one
// call was refused says little: it may have been about that call alone. A question that
// needs nothing but the token decides. Make it with NewCredential.
type Credential struct {
	// ask asks the platform; an error is no verdict, and leaves things as they were.
	ask func(ctx context.Context) (taken bool, err error)
	now func() time.Time

	asking chan struct{} // holds one while it is asked

	mu      sync.Mutex // guards the rest
	refused bool
	asked   time.Time // when the question of the latest verdict was begun
}

// RefusedRest is how long what a platform refused is left alone, before it is tried
// whether somebody put it right.
const RefusedRest = 3 * time.Minute

// askWait bounds one question, which whoever met the refusal waits for.
const askWait = 10 * time.Second

// NewCredential makes one that is taken until a question says otherwise.
func NewCredential(ask func(ctx context.Context) (taken bool, err error), now func() time.Time) *Credential {
	return &Credential{ask: ask, now: now, asking: make(chan struct{}, 1)}
}

// Refused reports whether the platform does not take the token, so that no call is worth
// making.
func (c *Credential) Refused() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refused
}

// Usable is what stands before each call: like not Refused, but when the refusal is long
// ago it asks once more, and may block for that.
func (c *Credential) Usable(ctx context.Context) bool {
	c.mu.Lock()
	refused, due := c.refused, c.now().Sub(c.asked) >= RefusedRest
	c.mu.Unlock()
	if refused && due {
		c.Doubt(ctx, c.now())
		refused = c.Refused()
	}
	return !refused
}

// Doubt asks whether the token is taken, after a call that was begun at a time was
// refused. It blocks for one question at most, and a verdict on a later question than that
// call counts for it too.
func (c *Credential) Doubt(ctx context.Context, began time.Time) {
	select {
	case c.asking <- struct{}{}:
		defer func() { <-c.asking }()
	case <-ctx.Done():
		return
	}
	c.mu.Lock()
	known := c.asked.After(began)
	c.mu.Unlock()
	if known {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askWait)
	defer cancel()
	began = c.now()
	taken, err := c.ask(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.refused = !taken
	}
	if err == nil || c.refused {
		c.asked = began
	}
}

// RefusedError is what Run returns when its platform does not take the bot as it is set
// up: to start again mends nothing until the operator did.
type RefusedError struct{ Err error }

// Error implements error.
func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap returns the sentence for the operator.
func (e *RefusedError) Unwrap() error { return e.Err }
