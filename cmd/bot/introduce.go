package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"parley/internal/adapters/discord"
	"parley/internal/adapters/telegram"
	"parley/internal/admin"
	"parley/internal/chat"
)

// introduce registers the slash commands natively, in the background: a
// platform that is down for a while must not hold the start up.
func (a *app) introduce(ctx context.Context, f *front, adapters []chat.Adapter) {
	table := f.commands.Table()
	for _, p := range adapters {
		var register func() error
		switch p := p.(type) {
		case *telegram.Adapter:
			register = func() error { return a.showMenus(ctx, f.gate, p, table) }
		case *discord.Adapter:
			register = func() error { return p.Register(ctx, discordCommands(table)) }
		default:
			continue
		}
		a.background(func() { a.registered(ctx, p.Platform(), register) })
	}
}

// Between tries to register, doubling.
const (
	registerFirst = 5 * time.Second
	registerLast  = 10 * time.Minute
)

// registered tries to register until it is done: a bot that started during an
// outage must not stay without its menus.
func (a *app) registered(ctx context.Context, platform string, register func() error) {
	for wait := registerFirst; ; wait = min(2*wait, registerLast) {
		err := register()
		if err == nil || ctx.Err() != nil {
			return
		}
		rest := wait
		var silence *chat.WaitError
		if errors.As(err, &silence) {
			rest = max(rest, silence.After)
		}
		a.log.Warn("register commands, will try again", "platform", platform, "in", rest, "err", err)
		t := time.NewTimer(rest)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return
		}
	}
}

// showMenus shows on Telegram, behind the slash, what people may use: claiming
// is for direct chats, and the owners see everything in theirs.
func (a *app) showMenus(ctx context.Context, g *admin.Gate, p *telegram.Adapter, table []admin.Command) error {
	menus := []telegram.Menu{
		{Where: telegram.MenuEverywhere, Commands: telegramMenu(table, admin.Anyone, admin.Member)},
		{Where: telegram.MenuGroups, Commands: telegramMenu(table, admin.Member, admin.Member)},
		{Where: telegram.MenuAdmins, Commands: telegramMenu(table, admin.Member, admin.Admin)},
	}
	owners, err := g.Owners(ctx)
	if err != nil {
		return err
	}
	for _, id := range owners {
		if strings.HasPrefix(id, "telegram:") {
			menus = append(menus, telegram.Menu{Where: id, Commands: telegramMenu(table, admin.Member, admin.Owner)})
		}
	}
	return p.ShowMenus(ctx, menus)
}

// telegramMenu is the commands for roles from one to another, verbs counted.
func telegramMenu(table []admin.Command, from, to admin.Role) (menu []telegram.Command) {
	for _, c := range table {
		if who := c.Least(); from <= who && who <= to {
			menu = append(menu, telegram.Command{Name: c.Name, Description: c.Help})
		}
	}
	return menu
}

func discordCommands(table []admin.Command) (list []discord.Command) {
	for _, c := range table {
		d := discord.Command{Name: c.Name, Help: c.Help, Admin: c.Who == admin.Admin, Verbs: discordCommands(c.Verbs)}
		for _, o := range c.Options {
			if len(c.Verbs) > 0 {
				break // Discord has options below the verbs only
			}
			kind := "text"
			if o.Kind != admin.Text {
				kind = string(o.Kind)
			}
			d.Options = append(d.Options, discord.Option{Name: o.Name, Help: o.Help, Kind: kind, Required: o.Required, Choices: o.Choices, Suggests: o.Suggest != nil})
		}
		list = append(list, d)
	}
	return list
}
