// Package welcome introduces the bot to those who do not know it yet: it greets a group it was
// added to, tells its owner who wants to talk with it, and tells its operator where to begin.
// It lets nobody in by itself.
package welcome

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

const wordsGreeting = "Hello, I'm %s. Write %s, or reply to one of my messages, when you want something from me; /help shows what I can do."

// Manners of one bot. All fields are required.
type Manners struct {
	Name     string // what the owner calls the bot
	Adapters func() []chat.Adapter
	Tell     func(ctx context.Context, n Notice) error            // the owner
	Person   func(ctx context.Context, id string, n Notice) error // somebody
	// Talks reports whether a place was let in as a whole, or everybody was.
	Talks func(ctx context.Context, m chat.Message) (bool, error)
	Log   *slog.Logger
}

// Notice is something for the owner.
type Notice struct {
	What     string // names it: the same is told once
	Platform string // where it happened
	// Say puts it into the owner's language, in Markdown.
	Say func(p catalog.Printer) (text string, buttons [][]chat.Button)
}

// Told returns a notice without buttons.
func Told(what string, text func(p catalog.Printer) string) Notice {
	return Notice{What: what, Say: func(p catalog.Printer) (string, [][]chat.Button) { return text(p), nil }}
}

// Wrap answers the news that the bot was added to a group.
func (o Manners) Wrap(next chat.Handler) chat.Handler {
	pass := chat.FuncOf(next)
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		if m.Kind != chat.KindAdded {
			return pass(ctx, m, w)
		}
		return o.added(ctx, m)
	})
}

// added greets the group in a sentence or two, and asks the owner what to make of it.
func (o Manners) added(ctx context.Context, m chat.Message) (chat.Answer, error) {
	talks, err := o.Talks(ctx, m)
	if err != nil {
		return chat.Answer{}, fmt.Errorf("added to a group: %w", err)
	}
	if err := o.Tell(ctx, o.joined(m, talks)); err != nil {
		o.Log.Warn("tell the owner", "err", err)
	}
	said := chat.Answer{Record: chat.End{Outcome: chat.Answered}}
	switch called := o.called(ctx, m.Key.Platform); {
	case m.Broadcast: // many read it, and nobody can answer
	case talks:
		said.Text = catalog.Say(ctx, wordsGreeting, plain(o.Name), called)
	default:
		said.Text = catalog.Say(ctx, wordsGreeting, plain(o.Name), called) + " " + catalog.Text(ctx, "For now I only answer people whom my owner has let in.")
	}
	return said, nil
}

// called returns how people address the bot.
func (o Manners) called(ctx context.Context, platform string) string {
	if n, ok := chat.As[chat.Named](chat.On(o.Adapters(), platform)); ok && n.Name() != "" {
		return "@" + strings.TrimPrefix(n.Name(), "@")
	}
	return catalog.Text(ctx, "my name")
}

// joined is what the owner is told about a new group.
func (o Manners) joined(m chat.Message, talks bool) Notice {
	return Notice{What: "added " + m.Key.String() + " " + m.ID, Platform: m.Key.Platform, Say: func(p catalog.Printer) (string,
		[][]chat.Button) {
		id, group := Place(m), p.Say("a group")
		if m.Title != "" {
			group = plain(m.Title)
		}
		said := p.Say("I was added to %s (%s).", group, id)
		if m.From.ID != "" {
			said = p.Say("%s (%s) has added me to %s (%s).", plain(m.From.Name), m.From.ID, group, id)
		}
		leave := chat.Button{Label: p.Text("Leave"), Data: "/config leave " + id}
		if talks {
			return said + " " + p.Text("I answer everybody there who addresses me."), [][]chat.Button{{leave}}
		}
		return said + " " + p.Text("Shall I answer everybody there who addresses me? Until you say so, I answer you and people you have let in."), [][]chat.Button{{{Label: p.Text("Allow here"), Data: "/config allow " + id}, leave}}
	}}
}

// Place returns the id under which a place is let in as a whole.
func Place(m chat.Message) string {
	if m.Guild != "" {
		return chat.ServerID(m.Key.Platform, m.Guild)
	}
	return chat.PlaceID(m.Key)
}

// Knock tells the owner that somebody asks to be let in, once for each request however often
// it is called.
func (o Manners) Knock(ctx context.Context, who chat.User, request string) {
	platform, _ := chat.CutID(who.ID)
	err := o.Tell(ctx, Notice{What: "knock " + request, Platform: platform, Say: func(p catalog.Printer) (string, [][]chat.Button) {
		return p.Say("%s (%s) asks to talk with me. Shall I let them in?", plain(who.Name), who.ID), [][]chat.Button{{
			{Label: p.Text("Let in"), Data: "/pair let " + who.ID}, {Label: p.Text("No"), Data: "/pair drop " + who.ID},
		}}
	}})
	if err != nil {
		o.Log.Warn("tell the owner", "err", err)
	}
}

// Welcome tells somebody that they were let in, where they asked and in their language. welcome
// names the notice: the same is told once.
func (o Manners) Welcome(ctx context.Context, who chat.User, welcome string) {
	err := o.Person(ctx, who.ID, Notice{What: "welcome " + welcome, Say: func(p catalog.Printer) (string,
		[][]chat.Button) {
		return p.Text("You are let in: we can talk now. Just write what you need; /help shows what I can do."), nil
	}})
	if err != nil {
		o.Log.Warn("tell somebody who was let in", "person", who.ID, "err", err)
	}
}

// Admissions is who was let in; access.Register.
type Admissions interface {
	// Newcomers tells who was let in by by since the last call, and when.
	Newcomers(ctx context.Context, by string, tell func(id, at string)) error
}

// Newcomers welcomes people whom by let in from a shell, which cannot tell them.
func (o Manners) Newcomers(ctx context.Context, a Admissions, by string) error {
	return a.Newcomers(ctx, by, func(id, at string) {
		o.Log.Info("let in from a shell", "person", id)
		o.Welcome(ctx, chat.User{ID: id}, id+" "+at)
	})
}

// plain returns a name that somebody else chose, without Markdown.
func plain(name string) string {
	name, _ = text.Strip(strings.Join(strings.Fields(name), " "))
	return cmp.Or(gate.Escape(name), "?")
}

// Between tries to register, doubling.
const (
	registerFirst = 5 * time.Second
	registerLast  = 10 * time.Minute
)

// Insist registers the commands, retrying until it succeeds: a bot that started during an
// outage must not stay without its menus.
func Insist(ctx context.Context, platform string, log *slog.Logger, register func() error) {
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
		log.Warn("register commands, will try again", "platform", platform, "in", rest, "err", err)
		if !chat.Sleep(ctx, rest) {
			return
		}
	}
}
