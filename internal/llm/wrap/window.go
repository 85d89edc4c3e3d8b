package wrap

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// How often an endpoint is asked for its window, and how long that may take:
// servers load a model anew with another one.
const (
	windowEvery   = 10 * time.Minute
	windowSoon    = time.Minute // where it was not known, perhaps because nothing was loaded
	windowTimeout = 2 * time.Second
)

// Window is how many tokens a model takes, as its endpoint says. It is safe for
// many goroutines; a nil one knows nothing.
type Window struct {
	Name string // of the model, for the log
	// Ask asks the endpoint: tokens of the whole window, 0 where it does not
	// say. sure is false for what may be otherwise once the model is loaded.
	Ask   func(ctx context.Context) (tokens int, sure bool, err error)
	Reply int // tokens of it that are for the answer
	Log   *slog.Logger

	mu     sync.Mutex // guards the rest
	tokens int
	next   time.Time
}

// Refresh asks when it is time to. It waits a little at most, and an endpoint
// that does not answer changes nothing.
func (w *Window) Refresh(ctx context.Context) {
	if w == nil || w.Ask == nil {
		return
	}
	w.mu.Lock()
	due := !time.Now().Before(w.next)
	if due {
		w.next = time.Now().Add(windowSoon)
	}
	w.mu.Unlock()
	if !due {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, windowTimeout)
	defer cancel()
	tokens, sure, err := w.Ask(ctx)
	if err != nil {
		w.Log.Debug("the model's window is not known", "model", w.Name, "err", err)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if tokens > 0 && tokens != w.tokens {
		w.Log.Info("the model's window", "model", w.Name, "tokens", tokens)
		w.tokens = tokens
	}
	if sure {
		w.next = time.Now().Add(windowEvery)
	}
}

// Tokens returns the whole window, 0 where it is not known.
func (w *Window) Tokens() int {
	if w == nil {
		return 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tokens
}

// Space returns what a request may take of the window, 0 where it is not known.
func (w *Window) Space() int {
	if w == nil {
		return 0
	}
	n := w.Tokens()
	return max(n-w.Reply, n/2)
}
