package app

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/robfig/cron/v3"

	"parley/internal/memory"
)

// Cron decides when; the work runs in the lane of the conversation it is
// about, so that nothing races a turn.

// jobLimit is how much one tick chooses at most; the next tick goes on.
const jobLimit = 200

// jobTimeout bounds one tick.
const jobTimeout = 50 * time.Second

// jobs is the cron and what became of each entry.
type jobs struct {
	cron *cron.Cron

	mu     sync.Mutex // guards the rest
	ids    map[string]cron.EntryID
	failed map[string]string
}

// newJobs is a schedule with nothing on it.
func (a *app) newJobs() *jobs {
	log := cronLog{a}
	return &jobs{
		cron:   cron.New(cron.WithLogger(log), cron.WithChain(cron.SkipIfStillRunning(log))),
		ids:    map[string]cron.EntryID{},
		failed: map[string]string{},
	}
}

// startJobs starts the schedule and makes the first sweep at once: sessions may
// have ended while the process was down.
func (a *app) startJobs() {
	for _, j := range []struct {
		name, spec string
		run        func(context.Context) error
	}{
		{"sweep", "@every 1m", a.sweep},
		{"confirmations", "@every 1m", a.store.PruneAccess},
		{"reminders", "@every 5s", a.remind},
		{"dead letters", "@every 5s", a.reread},
		{"retention", "17 4 * * *", a.prune},
	} {
		a.schedule(j.name, j.spec, j.run)
	}
	if a.facts != nil {
		a.schedule("facts file", "@every 10s", a.syncFacts)
		a.background(func() { a.runJob("facts file", a.syncFacts) })
	}
	if a.book != nil {
		a.schedule("playbook", "@every 5s", a.followBook)
	}
	if a.embedder != nil {
		a.schedule("vectors", "@every 5s", a.makeVectors)
	}
	a.background(func() { a.runJob("sweep", a.sweep) })
	a.cron.cron.Start()
}

func (a *app) schedule(name, spec string, run func(context.Context) error) {
	id, err := a.cron.cron.AddFunc(spec, func() { a.runJob(name, run) })
	if err != nil {
		panic("cron: " + err.Error()) // the schedule is ours
	}
	a.cron.mu.Lock()
	defer a.cron.mu.Unlock()
	a.cron.ids[name] = id
}

func (a *app) runJob(name string, run func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), jobTimeout)
	defer cancel()
	err := fencedJob(ctx, run)
	a.cron.mu.Lock()
	defer a.cron.mu.Unlock()
	delete(a.cron.failed, name)
	if err != nil {
		a.cron.failed[name] = err.Error()
		a.log.Error("cron", "job", name, "err", err)
	}
}

// fencedJob makes an error of a panic: one bad tick is no reason to end.
func fencedJob(ctx context.Context, run func(context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return run(ctx)
}

// stopJobs waits for running ticks.
func (a *app) stopJobs() {
	<-a.cron.cron.Stop().Done()
}

// sweep marks silent sessions idle, ends those whose time has passed, and sums
// up those that ended. Parts that nobody is sending, because the reply of the
// commit that stored them was lost, are sent.
func (a *app) sweep(ctx context.Context) error {
	unsent, err := a.store.Unsent(ctx)
	if err != nil {
		return err
	}
	for _, k := range unsent {
		if !a.hub.Busy(k) {
			a.hub.Flush(k)
		}
	}
	if _, err := a.store.MarkIdle(ctx, a.inForce.Load().Session.IdleTimeout); err != nil {
		return err
	}
	due, err := a.store.DueToExpire(ctx, jobLimit)
	if err != nil {
		return err
	}
	for _, d := range due {
		a.hub.Do(d.Key, func(ctx context.Context) {
			if err := a.agent.Expire(ctx, d.ID); err != nil {
				a.log.Error("expire session", "session", d.ID, "err", err)
				return
			}
			a.archive(ctx, d)
		})
	}
	ended, err := a.store.DueToArchive(ctx, jobLimit)
	if err != nil {
		return err
	}
	for _, d := range ended {
		a.hub.Do(d.Key, func(ctx context.Context) { a.archive(ctx, d) })
	}
	return nil
}

func (a *app) archive(ctx context.Context, d memory.Due) {
	if err := a.agent.Archive(ctx, d.ID); err != nil {
		a.log.Warn("sum up session", "session", d.ID, "err", err)
	}
}

// archiveSoon sums a session up as soon as its lane is free.
func (a *app) archiveSoon(se memory.Session) {
	d := memory.Due{ID: se.ID, Key: se.Key}
	a.hub.Do(se.Key, func(ctx context.Context) { a.archive(ctx, d) })
}

// prune deletes what retention says and what only redelivery needed.
func (a *app) prune(ctx context.Context) error {
	report, err := a.store.Prune(ctx, memory.Retention{Days: a.cfg.Retention.Days, Archived: a.cfg.Retention.Archived})
	if err != nil {
		return err
	}
	facts, err := a.store.PruneFacts(ctx, a.cfg.Memory.MaxFacts)
	if err != nil {
		return err
	}
	if err := a.store.PruneUndo(ctx); err != nil {
		return err
	}
	a.log.Info("pruned", "messages", report.Messages, "sessions", report.Sessions, "inbox", report.Inbox, "audit", report.Audit, "facts", facts)
	return nil
}

// cronLog hands the cron's words to the log.
type cronLog struct{ a *app }

// Info implements cron.Logger; every tick says something, which nobody needs.
func (l cronLog) Info(string, ...any) {}

// Error implements cron.Logger.
func (l cronLog) Error(err error, msg string, keys ...any) {
	l.a.log.Error(msg, append(keys, "err", err)...)
}
