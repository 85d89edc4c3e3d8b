package app

import (
	"context"
	"errors"

	"parley/internal/app/rehearse"
	"parley/internal/app/setup"
	"parley/internal/llm/offline"
	"parley/internal/memory"
)

// Rehearse returns the bot for a rehearsal.
func (p Process) Rehearse(ctx context.Context, parts rehearse.Parts) (*rehearse.Bot, error) {
	a, err := p.newRehearsed(ctx, parts)
	if err != nil {
		return nil, err
	}
	return a.rehearsed(), nil
}

// newRehearsed builds and starts a bot for a stage.
func (p Process) newRehearsed(ctx context.Context, parts rehearse.Parts) (*app, error) {
	a, err := openApp(ctx, newBase(p, parts.Config, parts.Log, parts.Now), false)
	if err != nil {
		return nil, err
	}
	a.people.speaker.English = true
	a.models.endpoint = setup.Endpoint{Model: parts.Model, Name: parts.ModelName}
	if parts.ModelName != offline.Name {
		a.models.endpoint.Fallback, a.models.endpoint.Quick = setup.Lane(a.cfg.Quick)
		a.models.endpoint.List = func(context.Context) ([]string, error) { return []string{parts.ModelName}, nil }
	}
	if err = a.build(ctx); err == nil {
		err = a.openFront(ctx, nil)
	}
	if err == nil && a.notes.index != nil {
		err = a.notes.index.Refresh(ctx)
	}
	if err != nil {
		a.close()
		return nil, err
	}
	a.start(parts.Adapters...)
	return a, nil
}

// rehearsed returns the stage's view of the bot.
func (a *app) rehearsed() *rehearse.Bot {
	return &rehearse.Bot{
		Store: a.storage.store, Hub: a.platforms.hub, Sweep: a.chores.due, Book: a.book, Agent: a.mind.agentOf,
		Named: a.mind.called, LastAnswer: a.lastAnswer, Place: a.placeOf,
		Close: func() { a.work.Wait(); a.close() },
	}
}

// lastAnswer returns the newest answer in a place, to one person or to anybody.
func (a *app) lastAnswer(ctx context.Context, p memory.Place) (memory.Decision, bool, error) {
	d, err := a.storage.store.Decisions.LastDecision(ctx, p)
	if errors.Is(err, memory.ErrNotFound) {
		return d, false, nil
	}
	return d, err == nil, err
}
