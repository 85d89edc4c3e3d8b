package app

import (
	"context"
	"slices"

	"parley/internal/app/host"
	"parley/internal/chat"
	"parley/internal/command"
	"parley/internal/command/gate"
	"parley/internal/command/welcome"
	"parley/internal/text/catalog"
)

// introduce registers the slash commands natively, in the background: a
// platform that is down for a while must not delay startup.
func (ps *platforms) introduce(ctx context.Context, f *front) {
	commands := gate.Menu(f.commands.Table())
	for _, p := range ps.adapters {
		c, ok := p.(chat.Commander)
		if !ok {
			continue
		}
		register := func() error {
			defer catalog.Borrow()()
			owners, err := f.people.gate.Owners(ctx)
			if err != nil {
				return err
			}
			shown := commands
			if len(owners) > 0 { // there is nothing to claim
				shown = slices.DeleteFunc(slices.Clone(commands), func(c chat.MenuCommand) bool { return c.Who == chat.Everybody })
			}
			return c.Register(ctx, chat.Menu{Commands: shown, Owners: owners, Actions: command.Actions, About: command.About,
				Greeting: command.Greeting})
		}
		ps.background(func() {
			welcome.Insist(ctx, p.Platform(), ps.log, register)
			host.Release() // of all languages
		})
	}
}
