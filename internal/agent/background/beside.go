// Package background runs long work that nobody waits for, a little at a time, and applies
// the result in the lane of its conversation. It does not know what the work is.
package background

import (
	"context"
	"sync"

	"parley/internal/chat"
)

// AtOnce is how much work runs in parallel: a model on the same machine must answer people
// meanwhile.
const AtOnce = 2

// Work runs the work. Before Open, and in rehearsals, both parts happen at once.
type Work struct {
	Background func(func()) // runs something that the process waits for at shutdown

	mu   sync.Mutex // guards ctx and end
	ctx  context.Context
	end  context.CancelFunc // cancels running work; it is done again later
	free chan struct{}
}

// Open begins to work in the background.
func (w *Work) Open() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ctx, w.end = context.WithCancel(context.Background())
	w.free = make(chan struct{}, AtOnce)
}

// Close cancels running work. It may be called without Open.
func (w *Work) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.end != nil {
		w.end()
	}
}

// Run is agent.Sessions.Beside; take hands the second part to a lane.
func (w *Work) Run(take func(k chat.Key, pace chat.Pace, fn func(context.Context)) bool, k chat.Key,
	work func(context.Context) func(context.Context)) {
	w.mu.Lock()
	ctx, free := w.ctx, w.free
	w.mu.Unlock()
	if ctx == nil {
		if done := work(context.Background()); done != nil {
			done(context.Background())
		}
		return
	}
	w.Background(func() {
		free <- struct{}{}
		defer func() { <-free }()
		if done := work(ctx); done != nil {
			take(k, chat.InOrder, done)
		}
	})
}
