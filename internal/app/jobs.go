package app

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
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
	cron *cron.Cron

	mu     sync.Mutex // guards the rest
	ids    map[string]cron.EntryID
	failed map[string]string
}

// newJobs returns a schedule with nothing on it.
func newJobs(b *base) *jobs {
	log := cronLog{b}
	return &jobs{
		base:   b,
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
	ctx, cancel := context.WithTimeout(context.Background(), jobTimeout)
	defer cancel()
	err := fencedJob(ctx, run)
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

// end waits for running ticks.
func (j *jobs) end() {
	<-j.cron.Stop().Done()
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
