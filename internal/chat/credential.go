package chat

import (
	"context"
	"sync"
	"time"
)

// Credential knows whether a platform still accepts the bot's token. One refused call says
// little: it may have been about that call alone. A request that needs nothing but the
// token decides. Make it with NewCredential.
type Credential struct {
	// ask asks the platform; an error decides nothing.
	ask func(ctx context.Context) (taken bool, err error)
	now func() time.Time

	asking chan struct{} // holds one while the platform is asked

	mu      sync.Mutex // guards the rest
	refused bool
	asked   time.Time // when the request that last decided began
}

// RefusedRest is how long a refused token rests before the platform is asked again.
const RefusedRest = 3 * time.Minute

// askWait bounds one request, which the caller of Doubt waits for.
const askWait = 10 * time.Second

// NewCredential returns one that is accepted until the platform says otherwise.
func NewCredential(ask func(ctx context.Context) (taken bool, err error), now func() time.Time) *Credential {
	return &Credential{ask: ask, now: now, asking: make(chan struct{}, 1)}
}

// Refused reports whether the platform rejects the token, so that no call is worth making.
func (c *Credential) Refused() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refused
}

// Usable is asked before each call: not Refused, but an old refusal is checked again,
// which may block.
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

// Doubt asks whether the token is accepted, after a call begun at began was refused. It
// blocks for one request at most; the verdict of a request begun later than the call
// counts for it too.
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

// RefusedError is returned by Run when the platform rejects the bot's setup: restarting
// helps only after the operator has fixed it.
type RefusedError struct{ Err error }

func (e *RefusedError) Error() string { return e.Err.Error() }
func (e *RefusedError) Unwrap() error { return e.Err }
