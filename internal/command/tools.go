package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/tools"
	"parley/internal/tools/mcp"
)

// Said in more than one place.
const (
	wordsOn     = "on"
	wordsNoTool = "There is nothing named %q that I could use. /tools list shows what there is."
)

// Tools is /tools: what the model may use, and the tool servers.
type Tools struct {
	All func() tools.Set // every tool there is, on or off
	Now func() tools.Set // those that are on
	// Switch turns a tool on or off for everybody, for good.
	Switch func(ctx context.Context, name string, on bool) error

	Rows Allowances
	// Servers is how the tool servers stand now.
	Servers func() []mcp.Status
	// Approve has a tool of a server used as it is; mcp.ErrChanged when it is
	// not any more what the hash says.
	Approve func(server, tool, hash string) error
	// Logins logs in to tool servers; nil without any.
	Logins *mcp.Client
	// Ask puts a question; after a yes, Approved is run with what the action
	// holds (under ActionApprove).
	Ask  func(ctx context.Context, m chat.Message, question string, act gate.Action) (chat.Answer, error)
	Role func(context.Context, chat.Message) (gate.Role, error)
}

// Allowances are the tools that are not asked about in a channel.
type Allowances interface {
	Allow(ctx context.Context, k chat.Key, tool, by string) error
	Disallow(ctx context.Context, k chat.Key, tool string) (bool, error)
	Allowed(ctx context.Context, k chat.Key) ([]string, error)
}

func (t Tools) command() gate.Command {
	name := gate.Option{Name: "name", Help: "name of the tool", Required: true, Suggest: t.suggest}
	server := gate.Option{Name: "server", Help: "name of the tool server", Required: true, Suggest: t.suggestServer}
	return gate.Command{Name: "tools", Help: "What I can do for you", Effect: gate.Reads, Who: gate.Owner, Run: t.list, Verbs: []gate.Command{
		{Name: "list", Help: "Every tool and whether it is on", Effect: gate.Reads, Run: t.list},
		{Name: "enable", Help: "Let it be used again", Options: []gate.Option{name}, Run: t.turn(true)},
		{Name: "disable", Help: "Do not use it any more", Options: []gate.Option{name}, Run: t.turn(false)},
		{Name: "allow", Help: "Stop asking before a tool is used in this channel", Options: []gate.Option{name}, Run: t.allow(true)},
		{Name: "ask", Help: "Ask again before a tool is used in this channel", Options: []gate.Option{name}, Run: t.allow(false)},
		{Name: "servers", Help: "The state of each tool server", Effect: gate.Reads, Run: t.servers},
		{Name: "approve", Help: "Use what a tool server has changed", Run: t.approve,
			Options: []gate.Option{server}},
		{Name: "login", Help: "Log in to a tool server", Effect: gate.Works, Run: t.login, Options: []gate.Option{server,
			{Name: "address", Help: "address the browser was sent to after you agreed"}}},
		{Name: "logout", Help: "Forget the login to a tool server", Run: t.logout, Options: []gate.Option{server}},
	}}
}

func (t Tools) suggest(_ context.Context, _ chat.Message, typed string) []string {
	var names []string
	for _, s := range t.All().All() {
		names = append(names, s.Name)
	}
	return beginning(names, typed)
}

func (t Tools) list(ctx context.Context, r gate.Request) (chat.Answer, error) {
	var b strings.Builder
	if servers := t.serverLines(ctx); servers != "" {
		b.WriteString(servers + "\n")
	}
	now := t.Now()
	allowed, err := t.Rows.Allowed(ctx, r.Message.Key)
	if err != nil {
		return chat.Answer{}, err
	}
	for _, s := range t.All().All() {
		state := catalog.Text(ctx, wordsOn)
		if here, ok := now.Lookup(s.Name); !ok {
			state = catalog.Text(ctx, wordsOff)
		} else if state += ", " + catalog.Text(ctx, asks[here.Asks()]); slices.Contains(allowed, s.Name) {
			state = catalog.Text(ctx, wordsOn) + ", " + catalog.Text(ctx, "allowed here")
		}
		if here, _ := now.Lookup(s.Name); here.Who != "" && here.Who != "everyone" {
			state += ", " + catalog.Say(ctx, "for %s only", here.Who)
		}
		fmt.Fprintf(&b, "- `%s` (%s, %s): %s%s\n", s.Name, s.Category, state, tell(ctx, s), noted(s))
	}
	return chat.Answer{Text: b.String()}, nil
}

// noted returns the owner's own notes on a tool, "" without any.
func noted(s tools.Spec) string {
	if len(s.Metadata) == 0 {
		return ""
	}
	return " [" + text.Exact(strings.Join(s.Metadata, ", ")) + "]"
}

// allow stops asking about a tool here, or asks again.
func (t Tools) allow(on bool) func(context.Context, gate.Request) (chat.Answer, error) {
	return func(ctx context.Context, r gate.Request) (chat.Answer, error) {
		name := r.Args["name"]
		if _, ok := t.All().Lookup(name); !ok {
			return say(ctx, wordsNoTool, name)
		}
		if on {
			return chat.Answer{Text: catalog.Say(ctx, "I use `%s` here without asking from now on. `/tools ask` takes that back.", name)}, t.Rows.Allow(ctx, r.Message.Key, name, r.Message.From.ID)
		}
		_, err := t.Rows.Disallow(ctx, r.Message.Key, name)
		return chat.Answer{Text: catalog.Say(ctx, "I ask before I use `%s` here, as everywhere.", name)}, err
	}
}

func (t Tools) turn(on bool) func(context.Context, gate.Request) (chat.Answer, error) {
	words := "I will not use %s any more."
	if on {
		words = "I may use %s again."
	}
	return func(ctx context.Context, r gate.Request) (chat.Answer, error) {
		name := r.Args["name"]
		if _, ok := t.All().Lookup(name); !ok {
			return say(ctx, wordsNoTool, name)
		}
		return chat.Answer{Text: catalog.Say(ctx, words, name)}, t.Switch(ctx, name, on)
	}
}

// asks say when a tool asks.
var asks = map[tools.Asking]string{tools.AskNever: "never asks", tools.AskOutside: "asks after outside words",
	tools.AskAlways: "always asks"}

// longestTell is how much of a description is shown, in characters.
const longestTell = 120

// tell says what a tool does: in words of its own, or in the first sentence of its
// description, which a server or the owner wrote.
func tell(ctx context.Context, s tools.Spec) string {
	if s.Words != "" {
		return catalog.Text(ctx, s.Words)
	}
	first, _, _ := strings.Cut(s.Description, "\n")
	first, _, _ = strings.Cut(first, ". ")
	return text.ShortenWords(strings.TrimSuffix(strings.TrimSpace(first), "."), longestTell)
}
