package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"parley/internal/app/fleet"
	"parley/internal/app/jobs"
	"parley/internal/app/setup"
	"parley/internal/app/whatif"
	"parley/internal/chat"
	"parley/internal/command/health"
	"parley/internal/memory"
	"parley/internal/memory/cluster"
	"parley/internal/memory/datadir"
	"parley/internal/memory/modellog"
	"parley/internal/memory/previews"
	"parley/internal/memory/privacy"
	"parley/internal/text/catalog"
	"parley/internal/text/machine"
)

// storage owns the data folder: its lock, the database and their checks.
type storage struct {
	*base
	tape *modellog.Tape // nil if no model calls are kept
	// eraser makes other processes forget; nil if there are none.
	eraser *privacy.Eraser
	shown  *previews.Book                 // nil without a lock
	lock   *datadir.Held                  // kept open; released by the end of the process
	narrow atomic.Pointer[catalog.Phrase] // why disk space is a concern; nil if it is not
	stuck  atomic.Bool                    // it was logged that messages cannot be stored

	tried    func() // lets go of what the page tries on the past; nil without a page
	unlocked bool   // it was logged that the lock is gone; watch's
}

// embed makes vectors; nil as an option means there are none.
type embed = func(context.Context, []string) ([][]float32, error)

// open opens the database; with lock, no other bot may use the folder.
func (s *storage) open(ctx context.Context, lock bool, vectors embed) (err error) {
	if lock {
		if err := os.MkdirAll(s.cfg.DataDir, 0o700); err != nil {
			return fmt.Errorf("data folder: %w", err)
		}
		if s.lock = s.process.held; s.lock == nil {
			if s.lock, err = datadir.Lock(s.cfg.DataDir); err != nil {
				return err
			}
		}
	}
	o := memory.Options{URL: string(s.cfg.Database.URL), Now: s.now, Embed: vectors, EmbedModel: s.cfg.EmbeddingModel(),
		Fresh: s.process.Fresh}
	if o.URL != "" && lock {
		if s.fleet, err = fleet.Start(ctx, cluster.Options{URL: o.URL, Version: s.process.Version, Log: s.log}); err != nil {
			return err
		}
		o.Node, s.began = s.fleet, s.now()
	}
	s.store, err = memory.Open(ctx, s.cfg.DataDir, o)
	if err != nil || !lock {
		return err
	}
	s.store.File.Claim(s.lock)
	if s.shown, err = previews.Open(s.inData(previews.Name)); err != nil {
		return err
	}
	err = s.openTape(ctx)
	s.store.Forgetting, s.store.Past.Deleting = s.unasked(s.store.Forgetting), s.unasked(s.store.Past.Deleting)
	if s.process.Failpoint != nil {
		s.store.Forgetting = s.passing(s.store.Forgetting)
	}
	return err
}

// untry lets go of what was tried on the past: what was found, and what models answered for
// it, all of it.
func (s *storage) untry() error {
	if s.tried != nil {
		s.tried()
	}
	if err := os.Remove(s.inData(whatif.Paid)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("forget what models answered: %w", err)
	}
	return nil
}

// unasked adds to a forgetting that what was tried on the past goes, also what was begun before
// the words were deleted.
func (s *storage) unasked(forget func(context.Context, string) (func(), error)) func(context.Context, string) (func(), error) {
	return func(ctx context.Context, whom string) (func(), error) {
		err := s.untry()
		over := func() {}
		if err == nil && forget != nil {
			over, err = forget(ctx, whom)
		}
		return func() {
			over()
			if err := s.untry(); err != nil {
				s.log.Warn("somebody is forgotten, and not in what was tried on the past", "err", err)
			}
		}, err
	}
}

// passing adds crash points to forgetting somebody: after it is recorded, and after the
// rows are deleted.
func (s *storage) passing(forget func(context.Context, string) (func(), error)) func(context.Context, string) (func(), error) {
	return func(ctx context.Context, user string) (func(), error) {
		s.process.Failpoint("forgetting")
		over := func() {}
		if forget != nil {
			var err error
			if over, err = forget(ctx, user); err != nil {
				return nil, err
			}
		}
		return func() { s.process.Failpoint("forgotten"); over() }, nil
	}
}

// openTape opens the record of model calls, or deletes it if none are to be kept.
func (s *storage) openTape(ctx context.Context) (err error) {
	file, keep := s.inData("traces.db"), s.cfg.Trace.Keep
	if days := time.Duration(s.cfg.Retention.Days) * 24 * time.Hour; days > 0 {
		keep = min(keep, days)
	}
	if keep == 0 {
		s.amongOthers() // they may keep some
		return modellog.Remove(file)
	}
	s.tape, err = modellog.Open(ctx, modellog.Options{File: file, Keep: keep, MaxSize: int64(s.cfg.Trace.MaxSize),
		Hide:    setup.NewRedactor(s.cfg, setup.ShortestSaid),
		Witness: s.store.Witness(), Now: s.now, Log: s.log})
	s.store.Forgetting, s.store.Past.Deleting = s.tape.ForgetPerson, s.tape.ForgetSession
	s.amongOthers()
	return err
}

// amongOthers makes the other processes forget along with this one.
func (s *storage) amongOthers() {
	if s.fleet == nil {
		return
	}
	s.eraser = s.store.Eraser(s.fleet.ID, s.tape, s.untry)
	s.store.Forgetting, s.store.Past.Deleting = s.eraser.Person, s.eraser.Session
}

// rest gives back what only busy times need.
func (s *storage) rest(ctx context.Context) {
	if err := errors.Join(s.store.Rest(ctx), s.tape.Rest(ctx)); err != nil && ctx.Err() == nil {
		s.log.Warn("give back memory", "err", err)
	}
}

// close may be called twice, and after a failed open.
func (s *storage) close() {
	if err := s.tape.Close(); err != nil {
		s.log.Error("close traces", "err", err)
	}
	if s.store != nil {
		if err := s.store.Close(); err != nil {
			s.log.Error("close database", "err", err)
		}
	}
	s.fleet.Close()
	_ = s.shown.Close() // each note was written
	if s.lock != nil {
		_ = s.lock.Close()
	}
}

// How often a test write is made, while writes succeed and while they fail.
const (
	beatEvery = time.Minute
	beatAgain = 5 * time.Second
)

// lookPatience bounds a look at the file while somebody waits.
const lookPatience = time.Second

// firstCheck delays the first check of the whole file until the first polls are under way.
const firstCheck = 50 * time.Millisecond

// check reads the whole file after wait, in the background.
func (s *storage) check(ctx context.Context, wait time.Duration) {
	s.background(func() {
		if !chat.Sleep(ctx, wait) {
			return
		}
		if err := s.store.File.Check(ctx); err != nil && ctx.Err() == nil {
			s.log.Error("the database was checked", "err", err)
		}
	})
}

// watch checks the whole file each night, and test-writes regularly: a full disk must be
// noticed before a message meets it, and again once there is room.
func (s *storage) watch(ctx context.Context, j *jobs.Jobs) {
	j.Add("database check", "47 3 * * *", func(context.Context) error {
		s.check(ctx, 0) // may outlast a tick
		return nil
	})
	s.background(func() {
		last := time.Now()
		for chat.Sleep(ctx, beatAgain) {
			s.look(ctx)
			if time.Since(last) >= beatEvery || errors.Is(s.store.File.Health(), datadir.ErrUnwritable) {
				last = time.Now()
				s.beat(ctx)
			}
		}
	})
}

// look checks that the database file is still there, and where its disk is full, whether it
// can be written: nobody's message has met that yet.
func (s *storage) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookPatience)
	defer cancel()
	s.store.File.Look(ctx)
	if s.store.File.Narrow() {
		s.beat(ctx)
	}
	err := s.lock.Keep()
	if err != nil && !s.unlocked {
		s.log.Error("bot.lock was deleted, and cannot be made again", "err", err)
	}
	s.unlocked = err != nil
}

// beat test-writes to the database and checks the disk's free space.
func (s *storage) beat(ctx context.Context) {
	s.lookForRoom()
	ctx, cancel := context.WithTimeout(ctx, readyPatience)
	defer cancel()
	err := s.store.File.Beat(ctx)
	stuck := errors.Is(err, datadir.ErrUnwritable)
	switch was := s.stuck.Swap(stuck); {
	case stuck && !was:
		s.log.Error("messages cannot be stored", "err", err)
	case was && !stuck:
		s.log.Info("messages can be stored again")
	}
}

// lookForRoom records whether free space is low.
func (s *storage) lookForRoom() {
	free, err := machine.FreeSpace(s.cfg.DataDir)
	if err != nil || free >= health.NoSpace {
		s.narrow.Store(nil)
		return
	}
	text := health.Full(free)
	s.narrow.Store(&text)
}

// takeUp lets the hub continue what an earlier process left. If the disk is full, it waits
// and health reports it.
func (s *storage) takeUp(ctx context.Context, hub *chat.Hub) error {
	s.beat(ctx)
	for {
		if err := s.store.File.Health(); errors.Is(err, datadir.ErrCorrupt) {
			return err
		}
		// Finish forgetting people first, or their words could still be shown.
		_, _, err := s.store.AfterRestore(ctx, "")
		if err == nil {
			err = s.store.FinishForgetting(ctx, true)
		}
		switch {
		case err != nil:
		case s.fleet == nil:
			err = hub.Recover(ctx)
		default:
			err = hub.Reclaim(ctx)
		}
		switch ill := s.store.File.Health(); {
		case err == nil || ctx.Err() != nil:
			return nil
		case errors.Is(ill, datadir.ErrCorrupt):
			return ill
		case !errors.Is(ill, datadir.ErrUnwritable):
			return err
		}
		select {
		case <-time.After(beatAgain):
			s.beat(ctx)
		case <-ctx.Done():
			return nil
		}
	}
}
