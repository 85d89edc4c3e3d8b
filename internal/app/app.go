// Package app is the process: it builds the parts that the settings ask for, joins
// them, runs them, reads the settings again, and drains. No rule of the assistant
// lives here, and no flag.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"parley/config"
	"parley/internal/admin"
	"parley/internal/agent"
	"parley/internal/chat"
	"parley/internal/factsfile"
	"parley/internal/health"
	"parley/internal/llm"
	"parley/internal/llm/offline"
	"parley/internal/llm/wrap"
	"parley/internal/memory"
	"parley/internal/page"
	"parley/internal/pdf"
	"parley/internal/playbook"
	"parley/internal/setup"
	"parley/internal/text"
	"parley/internal/tools"
	"parley/internal/vault"
)

// app is the process: everything that lives as long as it does.
type app struct {
	process  Process
	cfg      config.Config // as at the start
	inForce  atomic.Pointer[config.Config]
	tuned    tuned
	level    *slog.LevelVar // of the log; nil where it stays
	log      *slog.Logger
	now      func() time.Time
	home     string // time zone of who sits at this machine, "" when unknown or nobody does
	began    time.Time
	store    *memory.Store
	lock     *os.File // held open; goes with the process
	model    setup.Endpoint
	runner   *tools.Runner
	toolset  *toolset
	agent    *agent.Agent
	book     *playbook.Source
	adapters []chat.Adapter
	hub      *chat.Hub
	counts   *counters
	hide     text.Redactor // of what health tells anybody

	deliveries health.Deliveries
	beats      health.Beats
	narrow     atomic.Pointer[string] // why the disk is degraded; nil for not

	cron  *jobs
	front *front

	facts      *factsfile.File // nil for none
	vault      *vault.Vault    // nil for none
	page       *page.Page      // nil without http.listen
	pulse      pulse           // of the model, for the page
	spans      spans
	embedder   *wrap.Embedder // nil for none
	supervisor supervisor
	reloads    func(context.Context) // heeds hang-up signals until ctx ends; nil in the terminal
	debug      sync.Map              // chat.Key -> true where answers show calls and timings
	work       sync.WaitGroup        // background work that drain waits for
}

// newApp opens the data folder and builds the rooms, adapters excepted. With
// lock it is the folder's only bot. The caller calls close.
func (p Process) newApp(ctx context.Context, cfg config.Config, log *slog.Logger, lock bool) (*app, error) {
	a := &app{process: p, cfg: cfg, log: log, now: time.Now, counts: newCounters(p.Version)}
	if err := a.open(ctx, lock); err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

// open opens the data folder.
func (a *app) open(ctx context.Context, lock bool) (err error) {
	a.began = a.now()
	a.inForce.Store(&a.cfg)
	a.hide = setup.NewRedactor(a.cfg, setup.ShortestLogged)
	if lock {
		if err := os.MkdirAll(a.cfg.DataDir, 0o700); err != nil {
			return fmt.Errorf("data folder: %w", err)
		}
		if a.lock, err = memory.Lock(a.cfg.DataDir); err != nil {
			return err
		}
	}
	a.store, err = memory.Open(ctx, a.cfg.DataDir, memory.Options{Now: a.now, Embed: a.embeds(), EmbedModel: a.cfg.Model.Embedding})
	return err
}

// build makes the agent and what it needs. A model that is there already stays.
func (a *app) build(ctx context.Context) (err error) {
	if err := a.readTuned(ctx); err != nil {
		return err
	}
	if a.model.Model == nil {
		if a.model, err = setup.Connect(ctx, a.cfg, a.log); err != nil {
			return err
		}
	}
	a.embedder = a.newEmbedder()
	a.spans.Tracer = wrap.NewTracer(a.cfg.OTel.Endpoint, a.process.Version, a.log)
	a.runner = &tools.Runner{Log: a.log, Timeout: a.cfg.Tools.Timeout, Watch: a.watchTool}
	if err := a.openVault(ctx); err != nil {
		return err
	}
	if a.toolset, err = a.newToolset(ctx); err != nil {
		return err
	}
	if err := a.openBook(); err != nil {
		return err
	}
	a.facts = a.openFactsFile()
	name, err := a.store.Setting(ctx, modelSetting)
	if err != nil {
		return err
	}
	if name == "" {
		name = a.model.Name
	}
	model, book := a.guarded(a.model.Model), a.model.Book
	if book != nil {
		book = a.guarded(book)
	}
	a.agent, err = agent.New(agent.Options{
		Store: a.store, Model: model, Fallback: a.model.Fallback, Runner: a.runner, Tools: a.toolsHere, Confirm: a.askFirst,
		Files:   agent.Files{Open: a.openFile, See: a.model.See, Hear: a.model.Hear, ReadPDF: pdf.Read},
		Rules:   agent.Rules{Book: a.bookNow, BookModel: book, NoBookModel: a.model.List == nil, Role: a.role},
		Notes:   agent.Notes{Cite: a.cite, Prefetch: a.prefetch()},
		Persona: agent.Persona{Name: a.cfg.Agent.Name, PromptFile: a.cfg.Agent.PromptFile, ModelName: name},
		Sessions: agent.Sessions{
			PerUser: a.cfg.Session.Scope == "user", DropSummaries: !a.cfg.Session.CarrySummary, Learn: a.cfg.Memory.Learn,
			TTL: func() time.Duration { return a.inForce.Load().Session.TTL },
		},
		Limits: agent.Limits{
			MaxCalls: a.cfg.Agent.MaxToolIterations, History: a.cfg.Session.HistoryMessages, MaxMessages: a.cfg.Session.MaxMessages,
			TokenBudget: a.cfg.Context.TokenBudget, ContextSize: a.cfg.Model.ContextSize,
		},
		Log: a.log, Now: a.now, Failpoint: a.process.Failpoint,
	})
	return err
}

// guarded holds a model's calls to the limits, and secrets back from it.
func (a *app) guarded(m llm.Model) llm.Model {
	discreet := wrap.Discreet{Model: wrap.Traced{Model: m, Name: a.model.Name, Tracer: a.spans.Tracer, First: a.counts.firstToken}, Hide: setup.NewRedactor(a.cfg, setup.ShortestSaid)}
	return wrap.Meter{
		Model: discreet, Name: a.model.Name, MaxTokens: a.cfg.Model.MaxTokens, Instead: a.pastLimit, Count: a.counts.modelCall,
		Reserve: func(ctx context.Context, tokens int64) (func(int64), error) {
			return a.front.quotas.Reserve(ctx, tokens)
		},
	}
}

// pastOffline is the limits.past_limit that lets the built-in responder answer.
const pastOffline = "offline"

// pastLimit is who answers when a limit is reached; nil is nobody.
func (a *app) pastLimit(err error) llm.Model {
	if errors.Is(err, admin.ErrQuota) && a.inForce.Load().Limits.PastLimit == pastOffline {
		return offline.Model{Why: wordsPastLimit}
	}
	return nil
}

// role names what a person is at a place, as rules know it.
func (a *app) role(ctx context.Context, m chat.Message) string {
	r, err := a.front.gate.Role(ctx, m)
	if err != nil {
		a.log.Warn("role", "err", err)
		return ""
	}
	return r.String()
}

// askFirst turns a tool call that needs a yes into a question.
func (a *app) askFirst(ctx context.Context, m chat.Message, question string, p agent.Pending) (chat.Answer, error) {
	return a.front.ask(ctx, m, question, p)
}

// modelSetting is the row of a model chosen from the chat.
const modelSetting = "model.name"

// start joins handler and adapters in the hub, the page's chat among them.
func (a *app) start(handler chat.Handler, adapters ...chat.Adapter) {
	a.adapters, a.cron = adapters, a.newJobs()
	observe := func(e chat.Event) { a.counts.observe(e); a.deliveries.Observe(e, a.now()) }
	if a.page != nil {
		adapters = append(slices.Clone(adapters), a.page.Chat)
		quiet := observe
		observe = func(e chat.Event) { quiet(e); a.page.Changed() }
	}
	a.hub = chat.NewHub(chat.HubOptions{
		Inbox: a.store, Outbox: a.store, Handler: handler, Adapters: adapters, Log: a.log,
		QueuePerLane: a.cfg.Limits.QueuePerChannel, TurnTimeout: a.cfg.Agent.TurnTimeout,
		RepeatUnknown: a.cfg.Telegram.UnknownSend == "prefer_duplicate",
		Failpoint:     a.process.Failpoint, Observe: observe, MayStop: a.mayStop, Closed: a.closed,
	})
}

// close ends what newApp and build began, in reverse. It may be called twice.
func (a *app) close() {
	if a.toolset != nil {
		a.toolset.close()
	}
	if a.runner != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = a.runner.Wait(ctx) // an abandoned tool dies with the process
	}
	if a.vault != nil {
		if err := a.vault.Close(); err != nil {
			a.log.Error("close index of notes", "err", err)
		}
	}
	if a.store != nil {
		if err := a.store.Close(); err != nil {
			a.log.Error("close database", "err", err)
		}
	}
	if a.lock != nil {
		_ = a.lock.Close()
	}
	a.supervisor.close()
	a.spans.Close()
}

// openBook reads the playbook; a mistake in it keeps the bot from starting,
// while a later one leaves the last good book in force.
func (a *app) openBook() error {
	if a.cfg.Playbook.Dir == "" {
		return nil
	}
	if _, err := os.Stat(a.cfg.Playbook.Dir); err != nil {
		return fmt.Errorf("playbook.dir: %w", err)
	}
	var err error
	a.book, err = playbook.Open(a.cfg.Playbook.Dir, playbook.Options{Model: a.cfg.Model.PlaybookName, Embed: a.embeds()})
	return err
}

// bookNow is the playbook in force, nil for none.
func (a *app) bookNow() *playbook.Book {
	if a.book == nil {
		return nil
	}
	b, err := a.book.Book(a.now())
	if errors.Is(err, context.Canceled) {
		return b
	}
	switch news := a.counts.playbook(err); {
	case news && err != nil:
		a.log.Warn("the last good playbook stays in force", "err", err)
	case news:
		a.log.Info("the playbook is in force as it is in its folder")
	}
	return b
}

// followBook looks at the playbook's files although nobody writes.
func (a *app) followBook(context.Context) error {
	a.bookNow()
	return nil
}

// inData names a file in the data folder.
func (a *app) inData(name string) string { return filepath.Join(a.cfg.DataDir, name) }
