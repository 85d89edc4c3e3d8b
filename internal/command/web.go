package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory/access"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Web is the commands about going on with a direct chat in a browser.
type Web struct {
	// On reports whether the owner allows it; nil is never.
	On func() bool
	// Link makes a link that lets m's author in once, bound to m's place. A text.Error says why
	// there is none.
	Link func(ctx context.Context, m chat.Message) (link string, life time.Duration, err error)
	// Logins lists the browsers of a person; End ends them all and counts them.
	Logins func(ctx context.Context, user string) ([]access.WebLogin, error)
	End    func(ctx context.Context, user string) (int, error)
}

func (w Web) command() gate.Command {
	return gate.Command{
		Name: "web", Help: "Go on with this chat in your browser", Private: true,
		When: func() bool { return w.On != nil && w.On() },
		Run: func(ctx context.Context, r gate.Request) (chat.Answer, error) {
			if !r.Message.Direct {
				return chat.Answer{}, text.Tell("That is for our direct chat: send me /web there.")
			}
			link, life, err := w.Link(ctx, r.Message)
			if err != nil {
				return chat.Answer{}, err
			}
			return say(ctx, "%s\n\nIt works once, for %s, and opens this very conversation for whoever has it: give it to nobody.",
				link, catalog.Many(ctx, int(life.Minutes()), "minute"))
		},
		Verbs: []gate.Command{
			{Name: "list", Help: "Browsers in which this chat is open", Effect: gate.Reads, Run: w.list},
			{Name: "end", Help: "Log all of them out", Run: func(ctx context.Context, r gate.Request) (chat.Answer, error) {
				n, err := w.End(ctx, r.Message.From.ID)
				if err != nil || n == 0 {
					return chat.Answer{Text: catalog.Text(ctx, wordsNoBrowser)}, err
				}
				return say(ctx, "Done: %s logged out.", catalog.Many(ctx, n, "browser"))
			}},
		},
	}
}

const wordsNoBrowser = "This chat is open in no browser."

func (w Web) list(ctx context.Context, r gate.Request) (chat.Answer, error) {
	list, err := w.Logins(ctx, r.Message.From.ID)
	if err != nil || len(list) == 0 {
		return chat.Answer{Text: catalog.Text(ctx, wordsNoBrowser)}, err
	}
	var b strings.Builder
	for _, l := range list {
		used := catalog.Of(ctx).Time(l.Used.UTC(), "2 January 15:04")
		fmt.Fprintf(&b, "- %s\n", catalog.Say(ctx, "%s, last used %s UTC", gate.Escape(l.Browser), used))
	}
	return chat.Answer{Text: b.String() + catalog.Text(ctx, "`/web end` logs all of them out.")}, nil
}
