package command

import (
	"context"
	"fmt"
	"strings"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory/tokens"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Tokens is /token: programs speak as the person who made one.
type Tokens struct {
	// On reports whether the owner allows it; nil is never.
	On   func() bool
	Rows *tokens.Store
	Role func(ctx context.Context, m chat.Message) (gate.Role, error)
	// Called returns what somebody with this id is called.
	Called func(ctx context.Context, id string) (string, error)
	// Address returns where programs find the bot; "" where nothing listens.
	Address func() string
}

// maxTokenName is how long the name of a token is at most, in characters.
const maxTokenName = 60

func (t Tokens) command() gate.Command {
	which := gate.Option{Name: "id", Help: "id in /token list, or all", Required: true, Suggest: t.suggest}
	return gate.Command{
		Name: "token", Help: "Programs that talk to me as you: Open WebUI, editors, scripts", Private: true, Effect: gate.Reads,
		When: func() bool { return t.On != nil && t.On() },
		Run:  t.list,
		Verbs: []gate.Command{
			{Name: "list", Help: "Your tokens", Effect: gate.Reads, Run: t.list},
			{Name: "new", Help: "Make one; it is shown once", Options: []gate.Option{{Name: "name", Help: "what it is for, such as laptop"}}, Run: t.add},
			{Name: "revoke", Help: "End one", Options: []gate.Option{which}, Run: t.revoke},
		},
	}
}

// owner reports whether m's author may see and end everybody's.
func (t Tokens) owner(ctx context.Context, m chat.Message) (bool, error) {
	role, err := t.Role(ctx, m)
	return role >= gate.Owner, err
}

// whose returns the id of m's author, or "", which is everybody, for an owner.
func (t Tokens) whose(ctx context.Context, m chat.Message) (string, error) {
	all, err := t.owner(ctx, m)
	if all {
		return "", err
	}
	return m.From.ID, err
}

func (t Tokens) suggest(ctx context.Context, m chat.Message, typed string) []string {
	list, _ := t.Rows.List(ctx, m.From.ID) // ids to choose from: none is fine
	var ids []string
	for _, one := range list {
		ids = append(ids, one.ID)
	}
	return beginning(ids, typed)
}

func (t Tokens) list(ctx context.Context, r gate.Request) (chat.Answer, error) {
	whose, err := t.whose(ctx, r.Message)
	if err != nil {
		return chat.Answer{}, err
	}
	list, err := t.Rows.List(ctx, whose)
	if err != nil || len(list) == 0 {
		return chat.Answer{Text: catalog.Text(ctx, "There are no tokens. /token new makes one.")}, err
	}
	var b strings.Builder
	for _, one := range list {
		fmt.Fprintf(&b, "- `%s`", one.ID)
		if one.Name != "" {
			b.WriteString(" · " + gate.Escape(one.Name))
		}
		if one.User != r.Message.From.ID {
			who, err := t.Called(ctx, one.User)
			if err != nil {
				return chat.Answer{}, err
			}
			b.WriteString(" · " + gate.Escape(who))
		}
		if one.Used.IsZero() {
			b.WriteString(catalog.Text(ctx, " · never used"))
		} else {
			b.WriteString(catalog.Say(ctx, " · last used on %s UTC", catalog.Time(ctx, one.Used.UTC(), "2 January 2006 15:04")))
		}
		b.WriteString("\n")
	}
	return chat.Answer{Text: b.String() + catalog.Text(ctx, "`/token revoke ID` ends one.")}, nil
}

// add makes a token and shows it: once, and where nobody else reads.
func (t Tokens) add(ctx context.Context, r gate.Request) (chat.Answer, error) {
	m := r.Message
	switch {
	case !m.Direct:
		return chat.Answer{}, text.Tell("That is for our direct chat: send me /token new there.")
	case m.Key.Platform == chat.Programs:
		return chat.Answer{}, text.Tell("A program makes no tokens: send me /token new in our direct chat.")
	case t.Address() == "":
		return chat.Answer{}, text.Tell("Nothing listens for programs: set http.listen, and start me again.")
	}
	_, secret, err := t.Rows.New(ctx, m.From.ID, text.Clip(text.Clean(strings.Join(strings.Fields(r.Args["name"]), " ")), maxTokenName))
	if err != nil {
		return chat.Answer{}, err
	}
	return say(ctx, "Give your program this address and this token, which I show only now:\n\n`%s`\n`%s`\n\nWhoever has it talks to me as you: "+
		"with your memory, and with what you may do. `/token list` shows your tokens and `/token revoke` ends one.", t.Address(), secret)
}

func (t Tokens) revoke(ctx context.Context, r gate.Request) (chat.Answer, error) {
	id := strings.ToLower(strings.Trim(r.Args["id"], "`"))
	if id == "all" {
		n, err := t.Rows.RevokeAll(ctx, r.Message.From.ID)
		if err != nil {
			return chat.Answer{}, err
		}
		return say(ctx, "Done: %s revoked.", catalog.Many(ctx, n, "token"))
	}
	whose, err := t.whose(ctx, r.Message)
	if err == nil {
		err = t.Rows.Revoke(ctx, whose, id)
	}
	if err != nil {
		return chat.Answer{}, err
	}
	return say(ctx, "Done: the token `%s` works no more.", id)
}
