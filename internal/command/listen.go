package command

import (
	"context"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory/access"
	"parley/internal/text/catalog"
)

// Listen is /listen: what the bot overhears of somebody where it reads along.
type Listen struct {
	Rows ListenRows
	// Forget deletes what was overheard of somebody in a channel, or on its platform if k has
	// none.
	Forget func(ctx context.Context, k chat.Key, user string) (n int, err error)
	// Along reports whether the bot reads along where m was written.
	Along func(ctx context.Context, m chat.Message) (bool, error)
}

// ListenRows is whose words are left out; access.Register.
type ListenRows interface {
	Hearing(ctx context.Context, k chat.Key, user string) (access.Hearing, error)
	LeaveOut(ctx context.Context, k chat.Key, user string, out bool) error
}

// What can be done with what was overheard before.
const (
	listenKeep   = "keep"
	listenRemove = "remove"
)

func (l Listen) command() gate.Command {
	return gate.Command{Name: "listen", Help: "What I overhear of you where I read along", Quiet: true, Verbs: []gate.Command{
		{Name: "status", Help: "Whether I read along here, and hear you", Effect: gate.Reads, Run: l.status},
		{Name: "off", Help: "Leave your words out, here or in a direct chat everywhere", Run: l.off, Options: []gate.Option{
			{Name: "past", Help: "what to do with what I overheard before", Choices: []string{listenKeep, listenRemove}}}},
		{Name: "on", Help: "Let me hear you again", Run: l.on},
	}}
}

// where is the place that a choice is about: all of a platform, in a direct chat.
func where(m chat.Message) chat.Key {
	if m.Direct {
		return chat.Key{Platform: m.Key.Platform}
	}
	return m.Key.Whole()
}

func (l Listen) status(ctx context.Context, r gate.Request) (chat.Answer, error) {
	h, err := l.Rows.Hearing(ctx, where(r.Message), r.Message.From.ID)
	if err != nil {
		return chat.Answer{}, err
	}
	along, err := l.Along(ctx, r.Message)
	switch {
	case err != nil:
		return chat.Answer{}, err
	case h.Out:
		return say(ctx, "I leave out your words. `/listen on` lets me hear you.")
	case r.Message.Direct:
		return say(ctx, "Where I read along, I hear you. `/listen off` leaves your words out everywhere.")
	case along:
		return say(ctx, gate.WordsAlong)
	}
	return say(ctx, "I do not read along here. Of what is not addressed to me I keep nothing.")
}

func (l Listen) off(ctx context.Context, r gate.Request) (chat.Answer, error) {
	at, who := where(r.Message), r.Message.From.ID
	if err := l.Rows.LeaveOut(ctx, at, who, true); err != nil {
		return chat.Answer{}, err
	}
	switch r.Args["past"] {
	case listenRemove:
		n, err := l.Forget(ctx, at, who)
		if err != nil {
			return chat.Answer{}, err
		}
		if n == 0 { // there was nothing, or a process that was killed has removed it
			return say(ctx, "I leave out your words from now on. Nothing that I overheard of you is left.")
		}
		return say(ctx, "I leave out your words from now on, and have removed what I overheard of you: %s.", catalog.Many(ctx, n, "message"))
	case listenKeep:
		return say(ctx, "I leave out your words from now on. What I overheard before stays.")
	}
	a := chat.Answer{Text: catalog.Text(ctx, "I leave out your words from now on. What shall become of what I overheard of you before? Until you say, it stays.")}
	a.Buttons = [][]chat.Button{{{Label: catalog.Text(ctx, "Remove it"), Data: "/listen off " + listenRemove},
		{Label: catalog.Text(ctx, "Keep it"), Data: "/listen off " + listenKeep}}}
	return a, nil
}

func (l Listen) on(ctx context.Context, r gate.Request) (chat.Answer, error) {
	if err := l.Rows.LeaveOut(ctx, where(r.Message), r.Message.From.ID, false); err != nil {
		return chat.Answer{}, err
	}
	return say(ctx, "I hear you again where I read along.")
}
