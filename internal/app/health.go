package app

import (
	"context"
	"errors"
	"time"

	"parley/internal/health"
	"parley/internal/memory"
)

// findings is all that is not well, without asking anything that could hang.
// /healthz, /readyz, /status, the page and the metrics all say this.
func (a *app) findings() (list []health.Finding) {
	for _, p := range a.adapters {
		if f, ok := health.Found(p.Platform(), p.Health()); ok {
			list = append(list, f)
		}
	}
	if f, ok := health.Found("database", a.store.Health()); ok {
		list = append(list, f)
	}
	list = append(list, a.deliveries.Findings(a.now())...)
	if n, err := a.store.DeadLetters(context.Background()); err == nil && n > 0 {
		list = append(list, health.Concern("dead letters", health.DeadLetters(n)))
	}
	if text := a.narrow.Load(); text != nil {
		list = append(list, health.Concern("disk", *text))
	}
	if a.facts != nil {
		if err := a.facts.Problem(); err != nil {
			list = append(list, health.Concern("facts file", err.Error()))
		}
	}
	if e := a.counts.playbookError(); e != "" {
		list = append(list, health.Concern("playbook", "the last good one is in force: "+clip(e, 300)))
	}
	for i, f := range list {
		list[i].Why = a.hide.Hide(f.Why)
	}
	return list
}

// How often the database is written to see whether it can be, while it can and
// while it cannot.
const (
	beatEvery = time.Minute
	beatAgain = 5 * time.Second
)

// watchDatabase checks the whole file now and each night, beside the writer,
// and writes a row now and then, so that a full disk is known before somebody's
// message meets it, and known to be over.
func (a *app) watchDatabase(ctx context.Context) {
	check := func() {
		if err := a.store.Check(ctx); err != nil && ctx.Err() == nil {
			a.log.Error("the database was checked", "err", err)
		}
	}
	a.background(check)
	a.schedule("database check", "47 3 * * *", func(context.Context) error {
		a.background(check) // it may take longer than a tick
		return nil
	})
	a.background(func() {
		for {
			wait := beatEvery
			if errors.Is(a.store.Health(), memory.ErrUnwritable) {
				wait = beatAgain
			}
			select {
			case <-time.After(wait):
				a.beat(ctx)
			case <-ctx.Done():
				return
			}
		}
	})
}

// beat writes to the database, and looks at the room on its disk.
func (a *app) beat(ctx context.Context) {
	a.lookForRoom()
	before := a.store.Health()
	ctx, cancel := context.WithTimeout(ctx, readyPatience)
	defer cancel()
	err := a.store.Beat(ctx)
	switch after := a.store.Health(); {
	case errors.Is(err, memory.ErrUnwritable) && !errors.Is(before, memory.ErrUnwritable):
		a.log.Error("messages cannot be stored", "err", err)
	case errors.Is(before, memory.ErrUnwritable) && !errors.Is(after, memory.ErrUnwritable):
		a.log.Info("messages can be stored again")
	}
}

// lookForRoom notes when there is hardly any.
func (a *app) lookForRoom() {
	free, err := health.FreeSpace(a.cfg.DataDir)
	if err != nil || free >= health.NoSpace {
		a.narrow.Store(nil)
		return
	}
	text := health.Full(free)
	a.narrow.Store(&text)
}

// takeUp lets the hub take up what an earlier process left. A disk that is full
// at the start is waited for: health tells, and it may be over soon.
func (a *app) takeUp(ctx context.Context) error {
	a.beat(ctx)
	for {
		if err := a.store.Health(); errors.Is(err, memory.ErrCorrupt) {
			return err
		}
		err := a.hub.Recover(ctx)
		switch ill := a.store.Health(); {
		case err == nil || ctx.Err() != nil:
			return nil
		case errors.Is(ill, memory.ErrCorrupt):
			return ill
		case !errors.Is(ill, memory.ErrUnwritable):
			return err
		}
		select {
		case <-time.After(beatAgain):
			a.beat(ctx)
		case <-ctx.Done():
			return nil
		}
	}
}
