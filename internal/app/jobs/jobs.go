// Package jobs is the bot's cron: it runs jobs on a schedule, remembers how each ended,
// and stops them with the process. It decides only when a job runs; the job's owner runs
// it in the lane of its conversation, so that it never races a turn.
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
	// Background runs long work outside of ticks; shutdown waits for it.
	Background func(work func())
}

// Jobs owns the cron and the results of each job.
type Jobs struct {
	o      Options
	cron   *cron.Cron
	ctx    context.Context // of every tick, until End
	cancel context.CancelCauseFunc

	mu     sync.Mutex // guards the rest
	ids    map[string]cron.EntryID
	failed map[string]string
}

// New returns an empty schedule.
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

// Beside runs work until End, whose context it gets.
func (j *Jobs) Beside(work func(ctx context.Context)) { j.o.Background(func() { work(j.ctx) }) }

// Start starts the cron.
func (j *Jobs) Start() { j.cron.Start() }

// Add schedules a job. A wrong spec panics. A tick is skipped while the last one still
// runs.
func (j *Jobs) Add(name, spec string, run func(context.Context) error) {
	id, err := j.cron.AddFunc(spec, func() { j.Run(name, run) })
	if err != nil {
		panic("cron: " + err.Error()) // the spec is ours
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ids[name] = id
}

// Run runs one tick now. A panic counts as an error of the job.
func (j *Jobs) Run(name string, run func(context.Context) error) {
	ctx, cancel := context.WithTimeout(j.ctx, tickTimeout)
	defer cancel()
	j.note(name, fenced(ctx, run))
}

// Aside makes a job of long work: a tick starts it, unless it is running, and returns. The
// work has no time limit and ends with the process.
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

// note records how a job ended, for the log and the status. Work cut short by shutdown did
// not fail.
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

// errEnding cancels ticks at shutdown.
var errEnding = errors.New("the process is ending")

// End stops the schedule and cancels running ticks, whose work is left for the next start.
// It waits for them until ctx ends.
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

// Info implements cron.Logger. It drops the line that each tick logs.
func (l cronLog) Info(string, ...any) {}

// Error implements cron.Logger.
func (l cronLog) Error(err error, msg string, keys ...any) {
	l.log.Error(msg, append(keys, "err", err)...)
}

// Last returns when each job last ran, by name; the zero time for never.
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
