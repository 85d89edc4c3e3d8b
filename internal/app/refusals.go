package app

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"parley/internal/chat"
)

// refusals are the platforms that do not take the bot as it is set up.
type refusals struct {
	all  chan struct{} // closed when no platform runs
	most int           // platforms there are

	mu sync.Mutex // guards n
	n  int        // that do not run just now
}

func newRefusals(platforms int) *refusals {
	return &refusals{all: make(chan struct{}), most: platforms}
}

// refused reports whether a platform gave up for a reason that a restart does not mend.
func refused(err error) bool {
	var e *chat.RefusedError
	return errors.As(err, &e)
}

// keep runs a platform until ctx ends or it gives up. While another one works, one that is
// refused is red and tried again now and then: somebody may put it right where it was
// refused. When none is left they give up together.
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

// alone notes one more platform that does not run, and reports whether none is left.
func (r *refusals) alone() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n++; r.n < r.most {
		return false
	}
	close(r.all)
	return true
}

// rest waits until a platform is to be tried again; false means never.
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
	if r.n == r.most { // the last one gave up at this moment
		return false
	}
	r.n--
	return true
}

// refusedByAll is that no platform takes the bot: the program ends as with a mistake in
// the settings, so that no supervisor starts it over and over.
type refusedByAll struct{ error }

// ExitCode returns the exit code of the process.
func (*refusedByAll) ExitCode() int { return 2 }

// Unwrap returns what each of them said.
func (e *refusedByAll) Unwrap() error { return e.error }
