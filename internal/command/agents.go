package command

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/chat/routing"
	"parley/internal/command/gate"
	"parley/internal/text/catalog"
)

// wordsOneAgent is said in more than one place.
const wordsOneAgent = "There is one assistant here, and it answers everywhere. The setting agents makes more."

// Agents is /agent.
type Agents struct {
	Roster *routing.Roster // which agent answers where
	// About describes an agent by its name, a line each: its persona, its playbook and
	// so on.
	About func(ctx context.Context, name string) []string
}

// Parts of a place, as /agent use names them.
const (
	placeHere    = "here"
	placeChannel = "channel"
	placeServer  = "server"
)

func (a Agents) command() gate.Command {
	name := gate.Option{Name: "name", Help: "name of the assistant", Required: true, Suggest: func(_ context.Context, _ chat.Message,
		typed string) []string {
		return beginning(a.Roster.Names(), typed)
	}}
	where := gate.Option{Name: "where", Help: "this thread or chat, the whole channel, or the whole server", Choices: []string{placeHere, placeChannel, placeServer}}
	return gate.Command{Name: "agent", Help: "Which assistant answers here", Run: a.show, Effect: gate.Reads, Verbs: []gate.Command{
		{Name: "show", Help: "Who answers here", Effect: gate.Reads, Run: a.show},
		{Name: "list", Help: "The assistants there are", Who: gate.Owner, Effect: gate.Reads, Private: true, Run: a.list},
		{Name: "use", Help: "Have one of them answer here", Who: gate.Owner, Options: []gate.Option{name, where}, Run: a.use},
		{Name: "reset", Help: "Leave it to the settings again who answers here", Who: gate.Owner, Options: []gate.Option{where}, Run: a.reset},
	}}
}

// show says who answers here; to the owner also why.
func (a Agents) show(ctx context.Context, r gate.Request) (chat.Answer, error) {
	if len(a.Roster.Names()) == 0 {
		return say(ctx, wordsOneAgent)
	}
	at := a.Roster.At(r.Message)
	said := catalog.Say(ctx, "Here answers %s.", called(ctx, at.Agent))
	if r.Role >= gate.Owner {
		said += " " + because(ctx, at)
	}
	return chat.Answer{Text: said}, nil
}

// called is what an agent is called.
func called(ctx context.Context, name string) string {
	if name == routing.Nobody {
		return catalog.Text(ctx, "the bot's own assistant")
	}
	return "**" + name + "**"
}

// because says why an agent answers in a place.
func because(ctx context.Context, at routing.Answering) string {
	switch {
	case at.Place == "":
		return catalog.Text(ctx, "No other is bound to this place.")
	case at.Chat == nil:
		return catalog.Say(ctx, "The settings say so, for %s.", at.Place)
	case at.Instead != "":
		return catalog.Say(ctx, "It was bound to %s here in the chat on %s; the settings say %s.", at.Place, at.Chat.At.Format(time.DateOnly), called(ctx, at.Instead))
	}
	return catalog.Say(ctx, "It was bound to %s here in the chat on %s.", at.Place, at.Chat.At.Format(time.DateOnly))
}

func (a Agents) list(ctx context.Context, _ gate.Request) (chat.Answer, error) {
	names := a.Roster.Names()
	if len(names) == 0 {
		return say(ctx, wordsOneAgent)
	}
	var b strings.Builder
	for _, n := range names {
		fmt.Fprintf(&b, "- **%s**\n", n)
		for _, line := range a.About(ctx, n) {
			fmt.Fprintf(&b, "  - %s\n", line)
		}
	}
	return chat.Answer{Text: b.String()}, nil
}

func (a Agents) use(ctx context.Context, r gate.Request) (chat.Answer, error) {
	place, refusal := placed(ctx, r)
	if refusal != "" {
		return chat.Answer{Text: refusal}, nil
	}
	err := a.Roster.Bind(ctx, place, r.Args["name"], r.Message.From.ID)
	if errors.Is(err, routing.ErrNobody) {
		return say(ctx, "There is no assistant %s. There are: %s.", r.Args["name"], strings.Join(a.Roster.Names(), ", "))
	}
	if err != nil {
		return chat.Answer{}, err
	}
	return a.now(ctx, r, place)
}

func (a Agents) reset(ctx context.Context, r gate.Request) (chat.Answer, error) {
	place, refusal := placed(ctx, r)
	if refusal != "" {
		return chat.Answer{Text: refusal}, nil
	}
	ok, err := a.Roster.Unbind(ctx, place)
	if err != nil {
		return chat.Answer{}, err
	}
	if !ok {
		return say(ctx, "%s was not bound in a chat: the settings decide there.", place)
	}
	return a.now(ctx, r, place)
}

// now says who answers since a change. A closer place than the one that was changed
// may still decide.
func (a Agents) now(ctx context.Context, r gate.Request, place string) (chat.Answer, error) {
	at := a.Roster.At(r.Message)
	said := catalog.Say(ctx, "From now on %s answers here.", called(ctx, at.Agent)) + " " + because(ctx, at)
	if at.Place != place && at.Chat != nil {
		said += " " + catalog.Say(ctx, "%s is a wider place, and this one has a binding of its own: /agent reset takes it away.", place)
	}
	return chat.Answer{Text: said + " " + catalog.Text(ctx, "It knows what was said to it, and nothing that was said to another.")}, nil
}

// placed returns the place that a request means, or why there is none.
func placed(ctx context.Context, r gate.Request) (place, refusal string) {
	m := r.Message
	switch r.Args["where"] {
	case placeServer:
		if m.Guild == "" {
			return "", catalog.Text(ctx, "There is no server around this chat.")
		}
		places := routing.Places(m)
		return places[len(places)-1], ""
	case placeChannel:
		m.Key.Thread = ""
	}
	return routing.Places(m)[0], ""
}
