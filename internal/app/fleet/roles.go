package fleet

import (
	"context"
	"time"

	"parley/internal/chat"
)

// Receive runs an adapter until ctx ends. With one, a single process at a time runs it;
// the others only learn what they need to send.
func (f *Fleet) Receive(ctx context.Context, a chat.Adapter, in chat.Intake, one bool) error {
	if f == nil || !one {
		return a.Run(ctx, in)
	}
	if l, ok := chat.As[chat.Learner](a); ok {
		learning, stop := context.WithCancel(ctx)
		defer stop()
		go f.learn(learning, l, in)
	}
	return f.Role(ctx, receiving(a.Platform()), func(ctx context.Context) error { return a.Run(ctx, in) })
}

func receiving(platform string) string { return "receive " + platform }

// learnAgain is the pause after a failed attempt to learn.
const learnAgain = 500 * time.Millisecond

func (f *Fleet) learn(ctx context.Context, l chat.Learner, in chat.Intake) {
	for l.Learn(ctx, in) != nil && chat.Sleep(ctx, learnAgain) {
	}
}

// Elsewhere reports whether a platform that one process receives from is received by
// another.
func (f *Fleet) Elsewhere(platform string) bool {
	return f != nil && f.Node.Wants(receiving(platform)) && !f.Holds(receiving(platform))
}

// chore is the role of the process that does scheduled work for all.
const chore = "chores"

// Chores holds the role of doing scheduled work for all until ctx ends.
func (f *Fleet) Chores(ctx context.Context) {
	if f != nil {
		_ = f.Role(ctx, chore, func(ctx context.Context) error { <-ctx.Done(); return nil })
	}
}

// DoesChores reports whether this process does scheduled work for all: it is alone, or
// holds the role.
func (f *Fleet) DoesChores() bool { return f == nil || f.Holds(chore) }

// Once makes a tick run in a single process.
func (f *Fleet) Once(run func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		if !f.DoesChores() {
			return nil
		}
		return run(ctx)
	}
}
