package app

import (
	"context"
	"errors"
	"time"

	"parley/internal/admin"
	"parley/internal/chat"
	"parley/internal/command"
)

// introduce registers the slash commands natively, in the background: a
// platform that is down for a while must not delay startup.
func (ps *platforms) introduce(ctx context.Context, f *front) {
	commands := menuOf(f.commands.Table())
	for _, p := range ps.adapters {
		c, ok := p.(chat.Commander)
		if !ok {
			continue
		}
		register := func() error {
			owners, err := f.people.gate.Owners(ctx)
			if err != nil {
				return err
			}
			return c.Register(ctx, chat.Menu{Commands: commands, Owners: owners, Actions: command.Actions, About: command.About, Greeting: command.Greeting})
		}
		ps.background(func() { ps.registered(ctx, p.Platform(), register) })
	}
}

// Between tries to register, doubling.
const (
	registerFirst = 5 * time.Second
	registerLast  = 10 * time.Minute
)

// registered tries to register until it is done: a bot that started during an
// outage must not stay without its menus.
func (ps *platforms) registered(ctx context.Context, platform string, register func() error) {
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
		ps.log.Warn("register commands, will try again", "platform", platform, "in", rest, "err", err)
		t := time.NewTimer(rest)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return
		}
	}
}

// audiences are the roles of a command table as menus know them.
var audiences = map[admin.Role]chat.Audience{admin.Anyone: chat.Everybody, admin.Stranger: chat.Members, admin.Member: chat.Members, admin.Admin: chat.Admins, admin.Owner: chat.Owners}

// menuOf returns a command table as platforms show it.
func menuOf(table []admin.Command) (list []chat.MenuCommand) {
	for _, c := range table {
		m := chat.MenuCommand{Name: c.Name, Help: c.Help, Who: audiences[c.Who], Least: audiences[c.Least()], Verbs: menuOf(c.Verbs)}
		for _, o := range c.Options {
			if o.Hidden {
				continue
			}
			m.Options = append(m.Options, chat.MenuOption{Name: o.Name, Help: o.Help, Kind: chat.OptionKind(o.Kind), Required: o.Required, Choices: o.Choices, Suggests: o.Suggests(), Long: o.Long})
		}
		list = append(list, m)
	}
	return list
}
