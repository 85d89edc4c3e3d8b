package app

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"parley/internal/chat"
)

// refusals counts platforms that are down.
type refusals struct {
	all  chan struct{} // closed when no platform is left
	most int           // number of platforms

	mu sync.Mutex // guards n
	n  int        // platforms down now
}

func newRefusals(platforms int) *refusals {
	return &refusals{all: make(chan struct{}), most: platforms}
}

// refused reports whether a platform gave up for a reason that a restart does not fix.
func refused(err error) bool {
	var e *chat.RefusedError
	return errors.As(err, &e)
}

// keep runs a platform until ctx ends or it gives up. While others work, a platform that
// refuses the bot is retried every chat.RefusedRest: its owner may fix the cause there.
// When none is left, all give up together.
func (r *refusals) keep(ctx context.Context, log *slog.Logger, run func() error) error {
	for {
		err := run()
		if ctx.Err() != nil {
			return err
		}
		if last := r.alone(); last || !refused(err) {
			return err
		}
		log.Error("a platform refuses the bot and is asked again later", "after", chat.RefusedRest, "err", err)
		if !r.rest(ctx) {
			return err
		}
	}
}

// alone counts one more platform that is down, and reports whether none is left.
func (r *refusals) alone() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n++; r.n < r.most {
		return false
	}
	close(r.all)
	return true
}

// rest waits until it is time to retry; false means never.
func (r *refusals) rest(ctx context.Context) bool {
	t := time.NewTimer(chat.RefusedRest)
	defer t.Stop()
	select {
	case <-t.C:
	case <-r.all:
		return false
	case <-ctx.Done():
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n == r.most { // the last one gave up just now
		return false
	}
	r.n--
	return true
}

// refusedByAll: every platform refuses the bot. The exit code says that the settings are
// wrong, so no supervisor restarts it in a loop.
type refusedByAll struct{ error }

// ExitCode returns the exit code of the process.
func (*refusedByAll) ExitCode() int { return 2 }

// Unwrap returns the platforms' errors.
func (e *refusedByAll) Unwrap() error { return e.error }
