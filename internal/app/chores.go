package app

import (
	"context"
	"errors"
	"time"

	"parley/config"
	"parley/internal/adapters/terminal"
	"parley/internal/agent/background"
	"parley/internal/agent/scheduled"
	"parley/internal/app/jobs"
	"parley/internal/chat"
	"parley/internal/command/welcome"
	"parley/internal/llm/wrap"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/factsfile"
	"parley/internal/memory/sessions"
	"parley/internal/playbook/files"
)

// chores is the work of the cron's ticks.
type chores struct {
	*base
	store     *memory.Store
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

// jobLimit is how many items one tick handles at most; the next tick continues.
const jobLimit = 200

// schedule starts the cron and makes the first sweep at once: sessions may
// have ended while the process was down.
func (c *chores) schedule(j *jobs.Jobs) {
	for _, job := range []struct {
		name, spec string
		run        func(context.Context) error
	}{
		{"sweep", "@every 1m", c.sweep},
		{"confirmations", "@every 1m", c.front.expireQuestions},
		{"reminders", "@every 5s", c.fleet.Once(c.remind)},
		{"handoffs", "@every 5s", c.fleet.Once(c.front.desk.Tick)},
		{"newcomers", "@every 5s", c.fleet.Once(func(ctx context.Context) error {
			return c.front.manners().Newcomers(ctx,
				c.store.Access, terminal.Local)
		})},
		{"dead letters", "@every 5s", c.fleet.Once(c.platforms.reread)},
		{"retention", "17 4 * * *", c.fleet.Once(j.Aside("retention", c.prune))},
		{"traces", "23 4 * * *", j.Aside("traces", c.models.tape.Prune)},
		{"forgotten", "@every 1m", c.store.KeepForgotten},
		{"forgetting", "@every 1m", c.fleet.Once(j.Aside("forgetting", c.finishForgetting))},
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
	c.background(func() { j.Run("sweep", c.sweep) })
	j.Start()
}

// sweep marks silent sessions idle, ends those whose time has passed, sums
// up those that ended or owe a summary, and sends digests. Parts that nobody is sending, because the reply of the
// commit that stored them was lost, are sent.
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
	due, err := c.store.Past.DueToExpire(ctx, jobLimit)
	if err != nil {
		return err
	}
	for _, d := range due {
		c.platforms.hub.Do(d.Key, chat.InOrder, func(ctx context.Context) {
			if err := c.mind.Expire(ctx, d.ID); err != nil {
				c.log.Error("expire session", "session", d.ID, "err", err)
				return
			}
			c.archive(ctx, d)
		})
	}
	ended, err := c.store.Past.DueToArchive(ctx, jobLimit)
	if err != nil {
		return err
	}
	for _, d := range ended {
		c.platforms.hub.Do(d.Key, chat.InOrder, func(ctx context.Context) { c.archive(ctx, d) })
	}
	owed, err := c.store.Past.DueToPay(ctx, jobLimit)
	if err != nil {
		return err
	}
	for _, d := range owed {
		c.platforms.hub.Do(d.Key, chat.InOrder, func(ctx context.Context) {
			if err := c.mind.Pay(ctx, d.ID); err != nil {
				c.log.Warn("pay a summary", "session", d.ID, "err", err)
			}
		})
	}
	return c.digests(ctx, "")
}

// due does everything that is due by now, as the ticks of the cron do one by one.
func (c *chores) due(ctx context.Context) error {
	return errors.Join(c.sweep(ctx), c.remind(ctx), c.front.desk.Tick(ctx))
}

func (c *chores) archive(ctx context.Context, d sessions.Due) {
	if err := c.mind.Archive(ctx, d.ID); err != nil {
		c.log.Warn("sum up session", "session", d.ID, "err", err)
	} else {
		c.noted(ctx, d.ID)
	}
	if err := c.digests(ctx, d.ID); err != nil {
		c.log.Warn("digests", "session", d.ID, "err", err)
	}
}

// noted adds to the owner's daily note how a session ended.
func (c *chores) noted(ctx context.Context, id string) {
	agent := ""
	if c.mind.roster.Several() {
		se, err := c.store.Sessions.SessionByID(ctx, id)
		if err != nil {
			return
		}
		agent = se.Agent
	}
	c.notes.diary(agent).Ended(ctx, id)
}

// archiveSoon summarizes a session as soon as its lane is free.
func (c *chores) archiveSoon(se memory.Session) {
	d := sessions.Due{ID: se.ID, Key: se.Key}
	c.platforms.hub.Do(se.Key, chat.InOrder, func(ctx context.Context) { c.archive(ctx, d) })
}

// finishForgetting goes on with what an earlier process, or a reader in the way,
// cut short.
func (c *chores) finishForgetting(ctx context.Context) error {
	return c.store.FinishForgetting(ctx, false)
}

// prune deletes what retention says and what only redelivery needed.
func (c *chores) prune(ctx context.Context) error {
	report, err := c.store.Prune(ctx, memory.Retention{Days: c.cfg.Retention.Days, Archived: c.cfg.Retention.Archived})
	if err != nil {
		return err
	}
	facts, err := c.store.Facts.PruneFacts(ctx, c.cfg.Memory.MaxFacts)
	if err != nil {
		return err
	}
	if err := c.store.Facts.PruneUndo(ctx); err != nil {
		return err
	}
	if err := c.store.Tidy(ctx); err != nil {
		return err
	}
	c.log.Info("pruned", "messages", report.Messages, "sessions", report.Sessions, "inbox", report.Inbox, "audit",
		report.Audit, "facts", facts)
	return nil
}

// embedFor bounds the making of vectors in one tick.
const embedFor = 20 * time.Second

// makeVectors makes missing vectors, of facts and rules first. Those of rules and notes
// each process has for itself; the others one makes for all. What does not fit into
// one tick waits for the next; a failure, already logged, ends it.
func (c *chores) makeVectors(ctx context.Context) error {
	work, messages := []func(context.Context) (bool, error){c.rules.Embed}, c.store.Meanings().Follow
	if c.fleet.DoesChores() {
		work, messages = append(work, c.store.Facts.EmbedFacts), c.store.Meanings().Embed
	}
	if c.notes.index != nil {
		work = append(work, c.notes.index.Embed)
	}
	work = append(work, messages) // there are the most of them
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

// newFactsFile returns nil when there is none to keep.
func newFactsFile(cfg config.Config, store *memory.Store) *factsfile.File {
	if cfg.Memory.FactsFile == "" {
		return nil
	}
	user := terminal.Local
	if len(cfg.Access.Owners) > 0 {
		user = cfg.Access.Owners[0]
	}
	return factsfile.New(cfg.Memory.FactsFile, user, store)
}

// syncFacts is the tick that looks at the facts file.
func (c *chores) syncFacts(ctx context.Context) error {
	err := c.facts.Sync(ctx)
	if mass := (*facts.MassError)(nil); errors.As(err, &mass) {
		if err := c.front.manners().Tell(ctx, welcome.Told("facts file "+mass.Sum, factsfile.Refused(mass))); err != nil {
			c.log.Warn("facts file", "err", err)
		}
	}
	return err
}
