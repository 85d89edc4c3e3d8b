package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"parley/internal/chat"
	"parley/internal/llm/offline"
	"parley/internal/memory"
	"parley/internal/rehearse"
	"parley/internal/setup"
)

type rehearseCmd struct {
	Update bool     `help:"Write what really follows into the scripts."`
	Record bool     `help:"Ask the configured model, and write its answers and what follows into the scripts."`
	JUnit  string   `name:"junit" help:"Write the outcome as JUnit XML." placeholder:"FILE"`
	Paths  []string `arg:"" name:"path" help:"Scripts, or folders of scripts (*.txt)."`
}

// Run plays conversation scripts against the real agent: no key, no network,
// no data folder.
func (c rehearseCmd) Run(ctx context.Context, f *flags, s *streams) error {
	p := rehearse.Player{Build: buildRehearsed, Update: c.Update || c.Record}
	var err error
	if p.Base, err = f.load(); err != nil {
		return err
	}
	if c.Record {
		e, err := setup.Connect(ctx, p.Base, slog.New(slog.DiscardHandler))
		if err != nil {
			return err
		}
		p.Model, p.ModelName = e.Model, e.Name
	}
	scripts, err := rehearse.Open(c.Paths)
	if err != nil {
		return err
	}
	var all []rehearse.Outcome
	for _, script := range scripts {
		got := p.Play(ctx, script)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		all = append(all, got)
		if _, err := fmt.Fprintln(s.out, got); err != nil {
			return err
		}
	}
	if c.JUnit != "" {
		if err := rehearse.WriteJUnit(c.JUnit, all); err != nil {
			return err
		}
	}
	return rehearse.Summary(s.out, all)
}

// buildRehearsed is the bot for a rehearsal.
func buildRehearsed(ctx context.Context, p rehearse.Parts) (*rehearse.Bot, error) {
	a, err := newRehearsed(ctx, p)
	if err != nil {
		return nil, err
	}
	return a.rehearsed(), nil
}

// newRehearsed builds and starts the bot on a stage.
func newRehearsed(ctx context.Context, p rehearse.Parts) (*app, error) {
	a := &app{cfg: p.Config, log: p.Log, now: p.Now, counts: newCounters()}
	a.model = setup.Endpoint{Model: p.Model, Name: p.ModelName}
	if p.ModelName != offline.Name {
		a.model.Fallback = offline.Model{}
		a.model.List = func(context.Context) ([]string, error) { return []string{p.ModelName}, nil }
	}
	if err := a.mount(ctx, p); err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

func (a *app) mount(ctx context.Context, p rehearse.Parts) error {
	if err := a.open(ctx, false); err != nil {
		return err
	}
	if err := a.build(ctx); err != nil {
		return err
	}
	front, err := a.newFront(ctx, nil)
	if err != nil {
		return err
	}
	a.start(a.handler(front), p.Adapters...)
	return nil
}

// rehearsed is what a stage sees of the bot.
func (a *app) rehearsed() *rehearse.Bot {
	return &rehearse.Bot{
		Store: a.store, Hub: a.hub, Sweep: a.sweep, Book: a.bookNow, LastAnswer: a.lastAnswer, Place: a.placeOf,
		Close: func() { a.work.Wait(); a.close() },
	}
}

// lastAnswer is the newest answer in a place, to one person or to anybody.
func (a *app) lastAnswer(ctx context.Context, k chat.Key, user string) (memory.Decision, bool, error) {
	d, err := a.store.LastDecision(ctx, k, user)
	if errors.Is(err, memory.ErrNotFound) {
		return d, false, nil
	}
	return d, err == nil, err
}
