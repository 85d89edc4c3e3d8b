package fleet

import (
	"context"
	"time"

	"parley/internal/chat"
)

// Receive runs an adapter until ctx ends. With one it does so in one process at a time,
// and in the others learns only what it needs to send.
func (f *Fleet) Receive(ctx context.Context, a chat.Adapter, in chat.Intake, one bool) error {
	if f == nil || !one {
		return a.Run(ctx, in)
	}
	if l, ok := a.(chat.Learner); ok {
		learning, stop := context.WithCancel(ctx)
		defer stop()
		go f.learn(learning, l, in)
	}
	return f.Role(ctx, receiving(a.Platform()), func(ctx context.Context) error { return a.Run(ctx, in) })
}

func receiving(platform string) string { return "receive " + platform }

// learnAgain is how long to wait after an attempt to learn that failed.
const learnAgain = 500 * time.Millisecond

func (f *Fleet) learn(ctx context.Context, l chat.Learner, in chat.Intake) {
	for l.Learn(ctx, in) != nil && chat.Sleep(ctx, learnAgain) {
	}
}

// Elsewhere reports whether another process receives from a platform of which one does.
func (f *Fleet) Elsewhere(platform string) bool {
	return f != nil && f.Node.Wants(receiving(platform)) && !f.Holds(receiving(platform))
}

// chore is the role of what is done once for all, at set times.
const chore = "chores"

// Chores takes the role of what one process does for all, until ctx ends.
func (f *Fleet) Chores(ctx context.Context) {
	if f != nil {
		_ = f.Role(ctx, chore, func(ctx context.Context) error { <-ctx.Done(); return nil })
	}
}

// DoesChores reports whether this process does what one does for all: it is alone, or has
// the role.
func (f *Fleet) DoesChores() bool { return f == nil || f.Holds(chore) }

// Once makes a tick one that a single process does.
func (f *Fleet) Once(run func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		if !f.DoesChores() {
			return nil
		}
		return run(ctx)
	}
}
