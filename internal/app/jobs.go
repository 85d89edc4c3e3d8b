package app

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/text"

	"github.com/robfig/cron/v3"
)

// Cron decides when; the work runs in the lane of its conversation, so that it never
// races a turn.

// jobTimeout bounds one tick.
const jobTimeout = 50 * time.Second

// jobs owns the cron and the results of each entry.
type jobs struct {
	*base
	cron   *cron.Cron
	ctx    context.Context // of every tick, until end
	cancel context.CancelCauseFunc

	mu     sync.Mutex // guards the rest
	ids    map[string]cron.EntryID
	failed map[string]string
}

// newJobs returns a schedule with nothing on it.
func newJobs(b *base) *jobs {
	log := cronLog{b}
	ctx, cancel := context.WithCancelCause(context.Background())
	return &jobs{
		base:   b,
		ctx:    ctx,
		cancel: cancel,
		cron:   cron.New(cron.WithLogger(log), cron.WithChain(cron.SkipIfStillRunning(log))),
		ids:    map[string]cron.EntryID{},
		failed: map[string]string{},
	}
}

func (j *jobs) add(name, spec string, run func(context.Context) error) {
	id, err := j.cron.AddFunc(spec, func() { j.run(name, run) })
	if err != nil {
		panic("cron: " + err.Error()) // the schedule is ours
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ids[name] = id
}

func (j *jobs) run(name string, run func(context.Context) error) {
	ctx, cancel := context.WithTimeout(j.ctx, jobTimeout)
	defer cancel()
	j.note(name, fencedJob(ctx, run))
}

// aside makes long work a job: a tick begins it, unless it is under way, and
// returns. The work has no bound of time and ends with the process.
func (j *jobs) aside(name string, run func(context.Context) error) func(context.Context) error {
	var busy atomic.Bool
	return func(context.Context) error {
		if !busy.CompareAndSwap(false, true) {
			return nil
		}
		j.background(func() {
			defer busy.Store(false)
			j.note(name, fencedJob(j.ctx, run))
		})
		return nil
	}
}

// note keeps how a job ended, for the log and the status. What was cut short by
// the end of the process did not fail.
func (j *jobs) note(name string, err error) {
	if err != nil && j.ctx.Err() != nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.failed, name)
	if err != nil {
		j.failed[name] = err.Error()
		j.log.Error("cron", "job", name, "err", err)
	}
}

// fencedJob turns a panic into an error: one bad tick must not end the process.
func fencedJob(ctx context.Context, run func(context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return run(ctx)
}

// errEnding is why ticks end with the process.
var errEnding = errors.New("the process is ending")

// end stops the schedule and cuts running ticks short: the next start, or the
// next tick, does what they did not. It waits for them until ctx ends.
func (j *jobs) end(ctx context.Context) {
	j.cancel(errEnding)
	select {
	case <-j.cron.Stop().Done():
	case <-ctx.Done():
		j.log.Warn("a job does not end; it is left behind")
	}
}

// cronLog passes the cron's log lines to ours.
type cronLog struct{ b *base }

// Info implements cron.Logger. It drops the line of every tick.
func (l cronLog) Info(string, ...any) {}

// Error implements cron.Logger.
func (l cronLog) Error(err error, msg string, keys ...any) {
	l.b.log.Error(msg, append(keys, "err", err)...)
}

// status calls line for each entry.
func (j *jobs) status(line func(ill bool, name, format string, args ...any)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, e := range j.cron.Entries() {
		for name, id := range j.ids {
			if id != e.ID {
				continue
			}
			last := "not yet"
			if !e.Prev.IsZero() {
				last = text.Ago(j.now(), e.Prev)
			}
			why := j.failed[name]
			if why != "" {
				last += ", failed: " + text.Shorten(why, 100)
			}
			line(why != "", "cron "+name, "last %s, next %s", last, e.Next.UTC().Format("15:04:05 UTC"))
		}
	}
}
