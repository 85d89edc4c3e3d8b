package app

import (
	"context"
	"log/slog"
	"slices"

	"parley/internal/app/setup"
	"parley/internal/app/whatif"
)

// WhatIf returns the bot for a world apart.
func (p Process) WhatIf(ctx context.Context, parts whatif.Parts) (*whatif.Bot, error) {
	b := newBase(p, parts.Config, slog.New(slog.DiscardHandler), parts.Now)
	b.store = parts.Store
	a := assemble(b, &models{base: b, instead: parts.Model}, &storage{base: b})
	a.settings.apart, a.toolset.apart = parts.Over, &parts.Servers
	close := func() {
		a.work.Wait()
		b.store = nil // not ours
		a.close()
	}
	err := a.openApart(ctx, parts)
	if err != nil {
		close()
		return nil, err
	}
	return &whatif.Bot{Handler: &a.mind.Minds, Agent: a.mind.agentOf, Speak: a.people.speaker.Answering, Close: close}, nil
}

// openApart connects to the models without asking them anything, and builds the rest.
func (a *app) openApart(ctx context.Context, parts whatif.Parts) (err error) {
	m := a.models
	if m.endpoint, err = setup.Connect(ctx, a.cfg, nil, a.log); err != nil {
		return err
	}
	m.endpoint.Encoder = nil
	for _, e := range m.endpoint.Engines() {
		e.Window = nil // it asks its endpoint
	}
	if err := a.build(ctx); err != nil {
		return err
	}
	a.mind.runner.Replay = parts.Tool
	if slices.ContainsFunc(parts.Over, chooses) {
		a.mind.answerWith(m.endpoint.Name)
	}
	if a.notes.index != nil {
		if err := a.notes.index.Refresh(ctx); err != nil {
			return err
		}
	}
	return a.openFront(ctx, nil)
}

// chooses reports whether a setting says which model answers.
func chooses(path string) bool {
	return path == "model.name" || path == "routes.answer" || path == "models"
}
