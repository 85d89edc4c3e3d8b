package app

import (
	"context"
	"fmt"

	"parley/internal/chat"
	"parley/internal/manners"
	"parley/internal/page"
	"parley/internal/setup"
)

// say tells the operator something, as setup.Announce does.
func (b *base) say(format string, args ...any) {
	setup.Announce(b.cfg, b.process.Err, fmt.Sprintf(format, args...))
}

// announce tells the operator what starts.
func (a *app) announce(ctx context.Context) (err error) {
	at := a.cfg.HTTP.Listen
	a.people.claim, err = manners.Start{
		Version: a.process.Version, Data: a.cfg.DataDir, Listen: at, Watched: a.process.Watched, Claim: a.people.gate.ClaimCode, Owners: a.owners,
		Link: func(ctx context.Context) (string, error) { return page.NewLink(ctx, a.storage.store, at, chat.User{}) },
	}.Say(ctx, a.say)
	return err
}

// owners are the owners as their operator knows them, by name where that is known.
func (a *app) owners(ctx context.Context) ([]string, error) {
	list, err := a.people.gate.Owners(ctx)
	for i := range list {
		if err == nil {
			list[i], err = a.people.gate.Called(ctx, list[i])
		}
	}
	return list, err
}
