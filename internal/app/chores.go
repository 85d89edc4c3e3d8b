package app

import (
	"context"
	"errors"
	"time"

	"parley/internal/adapters/terminal"
	"parley/internal/agent/background"
	"parley/internal/agent/scheduled"
	"parley/internal/app/jobs"
	"parley/internal/chat"
	"parley/internal/command/welcome"
	"parley/internal/llm/wrap"
	"parley/internal/memory"
	"parley/internal/memory/ends"
	"parley/internal/memory/factsfile"
	"parley/internal/memory/sessions"
	"parley/internal/playbook/files"
)

// chores is the work of the cron.
type chores struct {
	*base
	platforms *platforms
	people    *people
	models    *models
	mind      *mind
	front     *front
	rules     *files.Books
	notes     *notes
	sums      *background.Work
	asker     *scheduled.Asker
	facts     *factsfile.File // nil for none
}

// jobLimit is the most items one tick handles; the next tick continues.
const jobLimit = 200

// schedule starts the cron and sweeps at once: sessions may have ended while the process
// was down.
func (c *chores) schedule(j *jobs.Jobs) {
	forgetting := c.fleet.Once(j.Aside("forgetting", func(ctx context.Context) error {
		return c.store.FinishForgetting(ctx, false) // work that an earlier process, or a reader, interrupted
	}))
	for _, job := range []struct {
		name, spec string
		run        func(context.Context) error
	}{
		{"sweep", "@every 1m", c.sweep},
		{"confirmations", "@every 1m", c.front.expireQuestions},
		{"reminders", "@every 5s", c.fleet.Once(c.remind)},
		{"places", "@every 5s", c.fleet.Once(c.tellClosed)},
		{"ends", "@every 5s", c.fleet.Once(c.readEnds)},
		{"handoffs", "@every 5s", c.fleet.Once(c.front.desk.Tick)},
		{"newcomers", "@every 5s", c.fleet.Once(func(ctx context.Context) error {
			return c.front.manners().Newcomers(ctx, c.store.Access, terminal.Local)
		})},
		{"dead letters", "@every 5s", c.fleet.Once(c.platforms.reread)},
		{"retention", "17 4 * * *", c.fleet.Once(j.Aside("retention", c.prune))},
		{"traces", "23 4 * * *", j.Aside("traces", c.models.tape.Prune)},
		{"forgotten", "@every 1m", c.store.KeepForgotten},
		{"forgetting", "@every 1m", forgetting},
	} {
		j.Add(job.name, job.spec, job.run)
	}
	if c.facts != nil {
		j.Add("facts file", "@every 10s", c.fleet.Once(c.syncFacts))
		c.background(func() { j.Run("facts file", c.fleet.Once(c.syncFacts)) })
	}
	if len(c.rules.All()) > 0 || len(c.cfg.Agents) > 0 {
		j.Add("playbook", "@every 5s", c.rules.Follow)
	}
	if c.models.embedder != nil {
		j.Add("vectors", "@every 5s", c.makeVectors)
	}
	c.background(func() { j.Run("forgotten", c.store.KeepForgotten) })
	c.background(func() { j.Run("forgetting", forgetting) })
	c.background(func() { j.Run("sweep", c.sweep) })
	c.background(func() { j.Run("ends", c.fleet.Once(c.readEnds)) })
	if c.process.Cron == nil {
		j.Start()
		return
	}
	j.Beside(func(ctx context.Context) {
		c.process.Cron(ctx, func(ctx context.Context) error {
			return errors.Join(c.rules.Follow(ctx), c.due(ctx), c.store.FinishForgetting(ctx, false))
		}, c.platforms.busy)
	})
}

// readEnds lets everyone who acts on what ended do so.
func (c *chores) readEnds(ctx context.Context) error {
	return errors.Join(c.read(ctx, ends.DailyNote, c.notes.ended), c.read(ctx, ends.Digest, c.digests))
}

func (c *chores) read(ctx context.Context, r ends.Reader, act func(ctx context.Context, id string) error) error {
	return c.store.Ends.Read(ctx, r, func(ctx context.Context, e ends.End) error {
		c.failpoint("before " + string(r))
		if err := act(ctx, e.What); err != nil {
			return err
		}
		c.failpoint("after " + string(r))
		return nil
	})
}

func (c *chores) failpoint(point string) {
	if c.process.Failpoint != nil {
		c.process.Failpoint(point)
	}
}

// sweep marks silent sessions idle, ends expired ones, summarizes those that ended or owe
// a summary, and sends daily digests. It also sends parts left unsent because the reply to their
// commit was lost.
func (c *chores) sweep(ctx context.Context) error {
	unsent, err := c.store.Unsent(ctx)
	if err != nil {
		return err
	}
	for _, k := range unsent {
		if !c.platforms.hub.Busy(k) {
			c.platforms.hub.Flush(k)
		}
	}
	if err := c.store.Facts.PruneChanges(ctx); err != nil {
		return err
	}
	if _, err := c.store.Sessions.MarkIdle(ctx, c.inForce.Load().Session.IdleTimeout); err != nil {
		return err
	}
	due, err := c.store.Past.DueToExpire(ctx, c.reach(), jobLimit)
	if err != nil {
		return err
	}
	c.inLanes(due, func(ctx context.Context, d sessions.Due) {
		if err := c.mind.Expire(ctx, d.ID); err != nil {
			c.log.Error("expire session", "session", d.ID, "err", err)
			return
		}
		c.archive(ctx, d)
	})
	ended, err := c.store.Past.DueToArchive(ctx, c.reach(), jobLimit)
	if err != nil {
		return err
	}
	c.inLanes(ended, c.archive)
	owed, err := c.store.Past.DueToPay(ctx, c.reach(), jobLimit)
	if err != nil {
		return err
	}
	c.inLanes(owed, func(ctx context.Context, d sessions.Due) {
		if err := c.mind.Pay(ctx, d.ID); err != nil {
			c.log.Warn("pay a summary", "session", d.ID, "err", err)
		}
	})
	return c.digests(ctx, "")
}

// reach returns the platforms whose conversations this process can have, nil for all: one of
// several leaves those of platforms that it does not know to others.
func (c *chores) reach() []string {
	if c.fleet == nil {
		return nil
	}
	return c.platforms.hub.Platforms()
}

// due does at once everything that cron ticks would do by now, for rehearsals. What its lanes
// leave to another process is not done here.
func (c *chores) due(ctx context.Context) error {
	err := errors.Join(c.sweep(ctx), c.remind(ctx), c.tellClosed(ctx), c.front.desk.Tick(ctx))
	for c.platforms.busy() && chat.Sleep(ctx, time.Millisecond) {
	}
	return errors.Join(err, c.readEnds(ctx))
}

func (c *chores) archive(ctx context.Context, d sessions.Due) {
	if err := c.mind.Archive(ctx, d.ID); err != nil {
		c.log.Warn("sum up session", "session", d.ID, "err", err)
	}
}

// inLanes runs work for each session once its lane is free.
func (c *chores) inLanes(list []sessions.Due, work func(context.Context, sessions.Due)) {
	for _, d := range list {
		c.platforms.hub.Do(d.Key, chat.InOrder, func(ctx context.Context) { work(ctx, d) })
	}
}

// archiveSoon summarizes a session once its lane is free.
func (c *chores) archiveSoon(se memory.Session) {
	c.inLanes([]sessions.Due{{ID: se.ID, Key: se.Key}}, c.archive)
}

// prune deletes what retention allows and what only redelivery needed.
func (c *chores) prune(ctx context.Context) error {
	report, err := c.store.Prune(ctx, memory.Retention{Days: c.cfg.Retention.Days, Archived: c.cfg.Retention.Archived})
	if err != nil {
		return err
	}
	facts, err := c.store.Facts.PruneFacts(ctx, c.cfg.Memory.MaxFacts)
	if err != nil {
		return err
	}
	if err := errors.Join(c.store.Facts.PruneUndo(ctx), c.store.Tidy(ctx), c.store.Hooks.Prune(ctx)); err != nil {
		return err
	}
	c.log.Info("pruned", "messages", report.Messages, "sessions", report.Sessions, "inbox", report.Inbox, "audit",
		report.Audit, "facts", facts)
	return nil
}

// embedFor limits the time for vectors in one tick.
const embedFor = 20 * time.Second

// makeVectors makes missing vectors, facts and rules first. Each process makes those of
// rules and notes for itself; one process makes the others for all. A failure, already
// logged, ends the tick; what does not fit waits for the next.
func (c *chores) makeVectors(ctx context.Context) error {
	work, messages := []func(context.Context) (bool, error){c.rules.Embed}, c.store.Meanings().Follow
	if c.fleet.DoesChores() {
		work, messages = append(work, c.store.Facts.EmbedFacts), c.store.Meanings().Embed
	}
	if c.notes.index != nil {
		work = append(work, c.notes.index.Embed)
	}
	work = append(work, messages) // most of the work
	began := c.now()
	for _, batch := range work {
		for more := true; more; {
			if c.now().Sub(began) > embedFor {
				return nil
			}
			var err error
			if more, err = batch(ctx); errors.Is(err, wrap.ErrNoVectors) {
				return nil
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// openFactsFile opens the facts file, if the settings name one.
func (c *chores) openFactsFile() {
	if c.cfg.Memory.FactsFile != "" {
		c.facts = factsfile.New(c.cfg.Memory.FactsFile, c.firstOwner(), c.store)
	}
}

// syncFacts synchronizes the facts file.
func (c *chores) syncFacts(ctx context.Context) error {
	err := c.facts.Sync(ctx)
	if name, say, refused := c.facts.Refused(err); refused {
		if err := c.front.manners().Tell(ctx, welcome.Told(name, say)); err != nil {
			c.log.Warn("facts file", "err", err)
		}
	}
	return err
}
