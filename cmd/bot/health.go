package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"time"

	"parley/internal/chat"
	"parley/internal/memory"
)

// wellness is how a part of the bot, or all of it, is doing.
type wellness int

// Degraded means that messages are received, stored and answered, and that
// something asks for the owner's eyes. Unavailable means that they are not.
const (
	well wellness = iota
	degraded
	unavailable
)

// String is the word of /healthz.
func (w wellness) String() string { return [...]string{"ok", "degraded", "unavailable"}[w] }

// finding is a part that is not well, and why: a sentence for the owner.
type finding struct {
	part string
	is   wellness
	why  string
}

// found is the finding that an error of a Health method stands for; ok is
// false for nil.
func found(part string, err error) (f finding, ok bool) {
	if err == nil {
		return f, false
	}
	f = finding{part, unavailable, err.Error()}
	var weak *chat.DegradedError
	if errors.As(err, &weak) {
		f.is = degraded
	}
	return f, true
}

// findings is all that is not well, without asking anything that could hang.
// /healthz, /readyz, /status, the page and the metrics all say this.
func (a *app) findings() (list []finding) {
	for _, p := range a.adapters {
		if f, ok := found(p.Platform(), p.Health()); ok {
			list = append(list, f)
		}
	}
	if f, ok := found("database", a.store.Health()); ok {
		list = append(list, f)
	}
	list = append(list, a.deliveries.findings(a.now())...)
	if n, err := a.store.DeadLetters(context.Background()); err == nil && n > 0 {
		list = append(list, finding{"dead letters", degraded, fmt.Sprintf(wordsDeadLetters, many(n, "event"))})
	}
	if text := a.narrow.Load(); text != nil {
		list = append(list, finding{"disk", degraded, *text})
	}
	if a.facts != nil {
		if err := a.facts.problem(); err != nil {
			list = append(list, finding{"facts file", degraded, err.Error()})
		}
	}
	if e := a.counts.playbookError(); e != "" {
		list = append(list, finding{"playbook", degraded, "the last good one is in force: " + clip(e, 300)})
	}
	for i, f := range list {
		list[i].why = a.hide.Hide(f.why)
	}
	return list
}

// worst is how all of it is doing.
func worst(list []finding) wellness {
	if len(list) == 0 {
		return well
	}
	return slices.MaxFunc(list, func(a, b finding) int { return cmp.Compare(a.is, b.is) }).is
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
	free, err := freeSpace(a.cfg.DataDir)
	if err != nil || free >= noSpace {
		a.narrow.Store(nil)
		return
	}
	text := fmt.Sprintf(wordsNoSpace, gigabytes(free))
	a.narrow.Store(&text)
}

// freeSpace is what this user may still write to the disk of a folder.
func freeSpace(dir string) (uint64, error) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return 0, err
	}
	return uint64(fs.Bavail) * uint64(fs.Bsize), nil
}

func gigabytes(n uint64) string { return fmt.Sprintf("%.1f GB free", float64(n)/(1<<30)) }

// beats shares a write to the database among those who ask within a second:
// anybody may ask for readiness, as often as they like.
type beats struct {
	mu   sync.Mutex // guards the rest
	at   time.Time
	last error
}

func (b *beats) ask(ctx context.Context, now time.Time, beat func(context.Context) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now.Sub(b.at).Abs() >= time.Second {
		b.last, b.at = beat(ctx), now
	}
	return b.last
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
