package app

import (
	"context"
	"errors"

	"parley/internal/chat"
	"parley/internal/llm/offline"
	"parley/internal/memory"
	"parley/internal/rehearse"
	"parley/internal/setup"
)

// Rehearse is the bot for a rehearsal.
func (p Process) Rehearse(ctx context.Context, parts rehearse.Parts) (*rehearse.Bot, error) {
	a, err := p.newRehearsed(ctx, parts)
	if err != nil {
		return nil, err
	}
	return a.rehearsed(), nil
}

// newRehearsed builds and starts the bot on a stage.
func (p Process) newRehearsed(ctx context.Context, parts rehearse.Parts) (*app, error) {
	a := &app{process: p, cfg: parts.Config, log: parts.Log, now: parts.Now, counts: newCounters(p.Version)}
	a.model = setup.Endpoint{Model: parts.Model, Name: parts.ModelName}
	if parts.ModelName != offline.Name {
		a.model.Fallback = offline.Model{}
		a.model.List = func(context.Context) ([]string, error) { return []string{parts.ModelName}, nil }
	}
	if err := a.mount(ctx, parts); err != nil {
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
