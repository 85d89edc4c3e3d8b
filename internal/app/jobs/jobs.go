// Package jobs is the bot's cron: what is done again and again, how each entry ended
// last, and the end of all with the process. It decides only when; what a job does is
// its owner's, and runs in the lane of its conversation, so that it never races a turn.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/text"
	"parley/internal/text/catalog"

	"github.com/robfig/cron/v3"
)

// tickTimeout bounds one tick.
const tickTimeout = 50 * time.Second

// Options of New. All are required.
type Options struct {
	Log *slog.Logger
	Now func() time.Time
	// Background runs long work beside the ticks; the process waits for it at its end.
	Background func(work func())
}

// Jobs owns the cron and the results of each entry.
type Jobs struct {
	o      Options
	cron   *cron.Cron
	ctx    context.Context // of every tick, until End
	cancel context.CancelCauseFunc

	mu     sync.Mutex // guards the rest
	ids    map[string]cron.EntryID
	failed map[string]string
}

// New returns a schedule with nothing on it.
func New(o Options) *Jobs {
	log := cronLog{o.Log}
	ctx, cancel := context.WithCancelCause(context.Background())
	return &Jobs{
		o:      o,
		ctx:    ctx,
		cancel: cancel,
		cron:   cron.New(cron.WithLogger(log), cron.WithChain(cron.SkipIfStillRunning(log))),
		ids:    map[string]cron.EntryID{},
		failed: map[string]string{},
	}
}

// Start begins to tick.
func (j *Jobs) Start() { j.cron.Start() }

// Add puts an entry on the schedule; spec is ours, so a wrong one panics. A tick that
// is still running is not begun again.
func (j *Jobs) Add(name, spec string, run func(context.Context) error) {
	id, err := j.cron.AddFunc(spec, func() { j.Run(name, run) })
	if err != nil {
		panic("cron: " + err.Error()) // the schedule is ours
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ids[name] = id
}

// Run does one tick of a job now. A panic is an error of the job.
func (j *Jobs) Run(name string, run func(context.Context) error) {
	ctx, cancel := context.WithTimeout(j.ctx, tickTimeout)
	defer cancel()
	j.note(name, fenced(ctx, run))
}

// Aside makes long work a job: a tick begins it, unless it is under way, and
// returns. The work has no bound of time and ends with the process.
func (j *Jobs) Aside(name string, run func(context.Context) error) func(context.Context) error {
	var busy atomic.Bool
	return func(context.Context) error {
		if !busy.CompareAndSwap(false, true) {
			return nil
		}
		j.o.Background(func() {
			defer busy.Store(false)
			j.note(name, fenced(j.ctx, run))
		})
		return nil
	}
}

// note keeps how a job ended, for the log and the status. What was cut short by
// the end of the process did not fail.
func (j *Jobs) note(name string, err error) {
	if err != nil && j.ctx.Err() != nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.failed, name)
	if err != nil {
		j.failed[name] = err.Error()
		j.o.Log.Error("cron", "job", name, "err", err)
	}
}

// fenced turns a panic into an error: one bad tick must not end the process.
func fenced(ctx context.Context, run func(context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return run(ctx)
}

// errEnding is why ticks end with the process.
var errEnding = errors.New("the process is ending")

// End stops the schedule and cuts running ticks short: the next start, or the
// next tick, does what they did not. It waits for them until ctx ends.
func (j *Jobs) End(ctx context.Context) {
	j.cancel(errEnding)
	select {
	case <-j.cron.Stop().Done():
	case <-ctx.Done():
		j.o.Log.Warn("a job does not end; it is left behind")
	}
}

// cronLog passes the cron's log lines to ours.
type cronLog struct{ log *slog.Logger }

// Info implements cron.Logger. It drops the line of every tick.
func (l cronLog) Info(string, ...any) {}

// Error implements cron.Logger.
func (l cronLog) Error(err error, msg string, keys ...any) {
	l.log.Error(msg, append(keys, "err", err)...)
}

// Last returns when each job ran last, by name; the zero time for never.
func (j *Jobs) Last() map[string]time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	last := map[string]time.Time{}
	for name, id := range j.ids {
		last[name] = j.cron.Entry(id).Prev
	}
	return last
}

// Status calls line for each entry, in the language of p.
func (j *Jobs) Status(p catalog.Printer, line func(ill bool, name, format string, args ...any)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, e := range j.cron.Entries() {
		for name, id := range j.ids {
			if id != e.ID {
				continue
			}
			last := p.Text("not yet")
			if !e.Prev.IsZero() {
				last = p.Ago(j.o.Now(), e.Prev)
			}
			why := j.failed[name]
			if why != "" {
				last += p.Say(", failed: %s", text.Shorten(why, 100))
			}
			line(why != "", p.Say("cron %s", name), "last %s, next %s", last, e.Next.UTC().Format("15:04:05 UTC"))
		}
	}
}
