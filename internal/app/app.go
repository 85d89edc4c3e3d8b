// Package app is the process: it builds the parts that the settings ask for, connects and
// runs them, reloads the settings, and drains. It contains no rule of the assistant and no
// flag.
package app

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"parley/config"
	"parley/internal/agent"
	"parley/internal/agent/attachments"
	"parley/internal/agent/background"
	"parley/internal/agent/dispatch"
	"parley/internal/agent/scheduled"
	"parley/internal/app/endpoint"
	"parley/internal/app/jobs"
	"parley/internal/app/metrics"
	"parley/internal/app/platform"
	"parley/internal/app/setup"
	"parley/internal/app/webhooks"
	"parley/internal/chat"
	"parley/internal/command/language"
	"parley/internal/notes/document/pdf"
	"parley/internal/playbook/files"
	"parley/internal/tools"
)

// app holds the parts of the bot and starts and stops them in order.
type app struct {
	*base
	settings  *settings
	storage   *storage
	models    *models
	platforms *platforms
	people    *people
	front     *front
	rules     *files.Books
	notes     *notes
	toolset   *toolset
	mind      *mind
	chores    *chores
	jobs      *jobs.Jobs
	vitals    *vitals
	port      *port
	hooks     *webhooks.Hooks
	programs  *endpoint.Endpoint // nil without http.api
}

// newApp opens the data folder and assembles the parts; build builds them later. With
// lock, no other bot may use the folder. The caller calls close.
func (p Process) newApp(ctx context.Context, cfg config.Config, log *slog.Logger, lock bool) (*app, error) {
	now := p.Now
	if now == nil {
		now = time.Now
	}
	return openApp(ctx, newBase(p, setup.FindEncoder(ctx, cfg), log, now), lock)
}

func openApp(ctx context.Context, b *base, lock bool) (*app, error) {
	m, s := &models{base: b}, &storage{base: b}
	if err := s.open(ctx, lock, m.embeds()); err != nil {
		s.close()
		return nil, err
	}
	return assemble(b, m, s), nil
}

// assemble gives each part the others it needs. It opens and starts nothing.
func assemble(b *base, m *models, s *storage) *app {
	b.counts = metrics.New(b.process.Version)
	a := &app{
		base: b, models: m, storage: s, rules: &files.Books{}, platforms: &platforms{base: b}, mind: &mind{base: b},
		people: &people{base: b, speaker: language.Speaker{Rows: b.store.People, Log: b.log}},
		jobs:   jobs.New(jobs.Options{Log: b.log, Now: b.now, Background: b.background}),
	}
	a.notes = &notes{base: b, people: a.people, models: m, mind: a.mind}
	a.people.logged = a.notes.logged
	desk := newDesk(b, a.platforms, a.people)
	a.toolset = &toolset{base: b, people: a.people, platforms: a.platforms, notes: a.notes, rules: a.rules, models: m,
		mind: a.mind, desk: desk}
	a.front = &front{base: b, desk: desk, people: a.people, platforms: a.platforms, models: m, mind: a.mind, toolset: a.toolset}
	m.front, m.tape = a.front, s.tape
	a.settings = &settings{base: b, front: a.front, mind: a.mind, rules: a.rules, put: a.put}
	a.chores = &chores{base: b, sums: &background.Work{Background: b.background}, platforms: a.platforms,
		people: a.people, front: a.front, models: m, mind: a.mind, rules: a.rules, notes: a.notes}
	a.chores.asker = &scheduled.Asker{Store: b.store, Alone: a.platforms.alone, Tools: a.toolset.here, Now: b.now,
		Runner:  func() *tools.Runner { return a.mind.runner },
		Deliver: func(ctx context.Context, batch chat.Batch) error { return a.platforms.hub.Deliver(ctx, batch) },
		Agent:   a.mind.agentOf}
	a.vitals = &vitals{base: b, storage: s, platforms: a.platforms, models: m, notes: a.notes, rules: a.rules, chores: a.chores,
		toolset: a.toolset, jobs: a.jobs, stirred: make(chan struct{}, 1), hide: setup.NewRedactor(b.cfg, setup.ShortestLogged)}
	a.port = &port{base: b, storage: s, vitals: a.vitals, models: m, rules: a.rules, mind: a.mind, front: a.front}
	a.settings.changed = a.port.changed
	a.hooks = a.newHooks()
	a.port.hooks, a.platforms.again = a.hooks, a.hooks.Again
	return a
}

// build makes the agent and what it needs.
func (a *app) build(ctx context.Context) error {
	for _, open := range []func(context.Context) error{a.settings.read, a.openRoster, a.models.open, a.notes.open,
		a.openTools, a.openRules, a.openAgent, a.checkHooks} {
		if err := open(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) openTools(ctx context.Context) error {
	a.mind.runner = &tools.Runner{Log: a.log, Timeout: a.cfg.Tools.Timeout, Watch: a.toolset.watch}
	return a.toolset.open(ctx)
}

// openAgent makes the agents, once everything they need is built.
func (a *app) openAgent(ctx context.Context) error {
	a.chores.openFactsFile()
	name, err := a.mind.modelName(ctx, a.models.endpoint)
	if err != nil {
		return err
	}
	a.mind.name = name
	made, err := agent.New(a.options())
	if err != nil {
		return err
	}
	a.mind.own = &dispatch.Mind{Agent: made, Book: a.rules.Own.Book, Follows: true}
	return a.put(ctx, a.cfg)
}

// options returns the options of the bot's own agent; those of other agents start from
// them.
func (a *app) options() agent.Options {
	return agent.Options{
		Store: a.storage.store, Model: a.models.routed(config.PurposeAnswer),
		Fallback: a.models.endpoint.Fallback, Quick: a.models.endpoint.Quick,
		Runner: a.mind.runner, Tools: a.toolset.here, Await: a.toolset.await, Confirm: a.front.ask,
		Files: attachments.Files{Open: a.platforms.openFile, See: a.models.endpoint.See, Hear: a.models.hear(), ReadPDF: pdf.Read},
		Rules: agent.Rules{Book: a.rules.Own.Book, BookModel: a.models.routed(config.PurposePlaybook),
			NoBookModel: a.models.endpoint.List == nil, Role: a.people.role},
		Notes:   agent.Notes{Cite: a.notes.cite, Disputes: a.notes.disputes, Prefetch: a.notes.prefetch()},
		Persona: agent.Persona{Name: a.cfg.Agent.Name, PromptFile: a.cfg.Agent.PromptFile, ModelName: a.mind.name},
		Sessions: agent.Sessions{
			PerUser: a.cfg.Session.Scope == "user", Summarizer: a.models.routed(config.PurposeSummary),
			DropSummaries: !a.cfg.Session.CarrySummary, Learn: a.cfg.Memory.Learn,
			HandOver: a.front.desk.HandOver,
			TTL:      func() time.Duration { return a.inForce.Load().Session.TTL },
			Beside: func(k chat.Key, work func(context.Context) func(context.Context)) {
				a.chores.sums.Run(a.platforms.hub.Do, k, work)
			},
		},
		Limits: agent.Limits{
			MaxCalls: a.cfg.Agent.MaxToolIterations, History: a.cfg.Session.HistoryMessages, MaxMessages: a.cfg.Session.MaxMessages,
			TokenBudget: a.cfg.Context.TokenBudget, Tokens: a.models.estimate(config.PurposeAnswer),
			Window: func(name string) int { return a.models.window("", name) },
		},
		Log: a.log, Now: a.now, Failpoint: a.process.Failpoint,
	}
}

// openFront builds everything in front of the agent. isAdmin asks the platform who
// administers a place; nil means nobody does.
func (a *app) openFront(ctx context.Context, isAdmin func(context.Context, chat.Key, string) (bool, error)) error {
	if err := a.front.open(ctx, isAdmin); err != nil {
		return err
	}
	return a.front.take(a.commands(), a.configVerbs())
}

// start connects the handler and the adapters to the hub, including the chat on the
// control page.
func (a *app) start(adapters ...chat.Adapter) {
	if a.programs != nil && a.port.page != nil {
		adapters = append(slices.Clone(adapters), a.programs)
	}
	adapters = chat.Fence(a.log, adapters...)
	a.platforms.adapters = adapters
	var met sync.Once
	observe := func(e chat.Event) {
		a.vitals.stir()
		a.counts.Observe(e)
		a.vitals.deliveries.Observe(e, a.now())
		if a.process.Met != nil && e.Outcome == chat.Answered && !e.From.IsHook() {
			met.Do(func() { a.process.Met(e.From.Name, e.Key.Platform, e.Took) })
		}
	}
	if a.port.page != nil {
		adapters = append(slices.Clone(adapters), a.port.page.Chat)
		quiet := observe
		observe = func(e chat.Event) { quiet(e); a.port.page.Changed(); a.port.stored(e) }
	}
	o := chat.HubOptions{
		Inbox: a.storage.store, Outbox: a.storage.store, Handler: a.front.handler(), Adapters: adapters, Log: a.log,
		Bounds: chat.Bounds{
			QueuePerLane: a.cfg.Limits.QueuePerChannel, Backlog: a.cfg.Limits.Backlog,
			AtOnce: max(64, 2*a.cfg.Limits.ConcurrentModelCalls), TurnTimeout: a.cfg.Agent.TurnTimeout,
		},
		RepeatUnknown: !platform.PrefersLoss(a.cfg),
		Failpoint:     a.process.Failpoint, Observe: observe, Pace: a.front.commands.Pace,
		Authors:  chat.Authors{MayStop: a.people.gate.MayStop, Reached: a.platforms.reached, Agent: a.answers, Speak: a.people.speaker.Answering},
		Closings: chat.Closings{Closed: a.platforms.closed, TryAgain: a.storage.store.TryAgain},
		Ahead:    a.mind.Ahead, Alone: a.front.alone,
	}
	if a.storage.shown != nil {
		o.Previews = a.storage.shown
	}
	if members := a.platforms.members; members != nil {
		o.Sent = members.Feeds.Sent
	}
	if a.fleet == nil {
		a.platforms.hub = chat.NewHub(o)
		return
	}
	o.Node = a.fleet
	a.platforms.hub = chat.NewHub(o)
	a.fleet.Join(a.platforms.hub, a.storage.store)
}

// close releases what newApp and build acquired, in reverse order. It may be called twice.
func (a *app) close() {
	a.toolset.close()
	a.mind.close()
	a.notes.close()
	a.storage.close()
	a.vitals.supervisor.Close()
	a.models.spans.Close()
}
