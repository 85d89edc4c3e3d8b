package main

import (
	"context"

	"parley/internal/adapters/telegram"
	"parley/internal/admin"
	"parley/internal/chat"
)

// introduce registers the slash commands natively, in the background: a
// platform that is down for a while must not hold the start up.
func (a *app) introduce(ctx context.Context, f *front, adapters []chat.Adapter) {
	for _, p := range adapters {
		if t, ok := p.(*telegram.Adapter); ok {
			a.background(func() {
				if err := t.Commands(ctx, telegramMenu(f.commands.Table())); err != nil && ctx.Err() == nil {
					a.log.Warn("register commands", "platform", "telegram", "err", err)
				}
			})
		}
	}
}

// telegramMenu is what Telegram shows behind the slash: what everybody may
// use.
func telegramMenu(table []admin.Command) (menu []telegram.Command) {
	for _, c := range table {
		if c.Who <= admin.Member {
			menu = append(menu, telegram.Command{Name: c.Name, Description: c.Help})
		}
	}
	return menu
}
