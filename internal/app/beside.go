package app

import (
	"context"
	"sync"

	"parley/internal/chat"
)

// summingAtOnce is how many summaries are made side by side: a model on the same
// machine answers people meanwhile.
const summingAtOnce = 2

// beside runs work where nobody waits for it and takes what came of it in the
// lane of its conversation. Before open, and in rehearsals, both happen at once.
type beside struct {
	*base
	mu   sync.Mutex // guards ctx and end
	ctx  context.Context
	end  context.CancelFunc // ends what is at work; it is done again later
	free chan struct{}
}

// open begins to work beside the lanes.
func (b *beside) open() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ctx, b.end = context.WithCancel(context.Background())
	b.free = make(chan struct{}, summingAtOnce)
}

// close gives up what is at work. It may be called without open.
func (b *beside) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.end != nil {
		b.end()
	}
}

// run is agent.Sessions.Beside; take hands the second part to a lane.
func (b *beside) run(take func(k chat.Key, pace chat.Pace, fn func(context.Context)) bool, k chat.Key, work func(context.Context) func(context.Context)) {
	b.mu.Lock()
	ctx, free := b.ctx, b.free
	b.mu.Unlock()
	if ctx == nil {
		if done := work(context.Background()); done != nil {
			done(context.Background())
		}
		return
	}
	b.background(func() {
		free <- struct{}{}
		defer func() { <-free }()
		if done := work(ctx); done != nil {
			take(k, chat.InOrder, done)
		}
	})
}
