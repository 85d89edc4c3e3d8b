package app

import (
	"context"
	"errors"
	"slices"

	"parley/internal/adapters/terminal"
	"parley/internal/chat"
	"parley/internal/facts"
	"parley/internal/factsfile"
)

// tellOwner says something to the first owner once, where there is a direct
// chat with them. what names it.
func (a *app) tellOwner(ctx context.Context, what, text string) {
	if len(a.cfg.Access.Owners) == 0 {
		return
	}
	k, err := a.store.DirectChat(ctx, a.cfg.Access.Owners[0])
	if err != nil || !slices.ContainsFunc(a.adapters, func(p chat.Adapter) bool { return p.Platform() == k.Platform }) {
		return // the log and /status have it, too
	}
	if err := a.store.Notify(ctx, what, []chat.Part{{Key: k, Text: text}}); err != nil {
		a.log.Warn("tell the owner", "err", err)
		return
	}
	a.hub.Flush(k)
}

// openFactsFile returns nil when there is none to keep.
func (a *app) openFactsFile() *factsfile.File {
	if a.cfg.Memory.FactsFile == "" {
		return nil
	}
	user := terminal.Local
	if len(a.cfg.Access.Owners) > 0 {
		user = a.cfg.Access.Owners[0]
	}
	return factsfile.New(a.cfg.Memory.FactsFile, user, a.store)
}

// syncFacts is the tick that looks at the facts file.
func (a *app) syncFacts(ctx context.Context) error {
	err := a.facts.Sync(ctx)
	if mass := (*facts.MassError)(nil); errors.As(err, &mass) {
		a.tellOwner(ctx, "facts file "+mass.Sum, factsfile.Refused(mass))
	}
	return err
}
