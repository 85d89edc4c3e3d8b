package app

import (
	"context"
	"os"

	"parley/internal/app/console"
	"parley/internal/app/setup"
	"parley/internal/chat"
	"parley/internal/command/language"
	"parley/internal/command/welcome"
	"parley/internal/memory/datadir"
	"parley/internal/text/catalog"
)

// say tells the operator something, as setup.Announce does, in the language of this
// machine; in English where programs read it.
func (b *base) say(words string, args ...any) {
	var p catalog.Printer
	if b.cfg.Log.Format != "json" {
		p, _ = catalog.For(language.Machine(os.Getenv))
	}
	setup.Announce(b.cfg, b.process.Err, p.Say(words, args...))
}

// announce tells the operator what starts.
func (a *app) announce(ctx context.Context) (err error) {
	at := a.cfg.HTTP.Listen
	a.people.claim, err = welcome.Start{
		Version: a.process.Version, Data: datadir.Where(a.cfg.DataDir, string(a.cfg.Database.URL)), Listen: at,
		Watched: a.process.Watched, Claim: a.people.gate.ClaimCode, Owners: a.owners,
		Link: func(ctx context.Context) (string, error) {
			return console.NewLink(ctx, a.storage.store.Access, at, chat.User{})
		},
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
