package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/tools/mcp"
)

// ActionApprove is the kind of a confirmation that approves tools of a server.
const ActionApprove = "approve"

// Bounds of what is shown of a server's own texts.
const (
	maxApproved   = 20 // tools in one question
	maxServerText = 1000
	maxServerErr  = 200
)

// approval is what the owner was shown: the hashes see to it that nothing else
// is approved.
type approval struct {
	Server string            `json:"server"`
	Hashes map[string]string `json:"hashes"` // by tool
}

func (t Tools) suggestServer(_ context.Context, _ chat.Message, typed string) []string {
	var names []string
	for _, s := range t.Servers() {
		names = append(names, s.Server)
	}
	return beginning(names, typed)
}

// serverLines returns the servers as /tools shows them, "" for none.
func (t Tools) serverLines(ctx context.Context) string {
	var b strings.Builder
	for _, s := range t.Servers() {
		state := catalog.Say(ctx, "up, %s in use", catalog.Many(ctx, len(s.Tools), "tool"))
		switch {
		case s.Login:
			state = catalog.Say(ctx, "waits for a login: /tools login %s", s.Server)
		case !s.Connected && s.Err == "":
			state = catalog.Text(ctx, "starting")
		case !s.Connected:
			state = catalog.Say(ctx, "down, I keep trying to restart it: %s", foreign(s.Err, maxServerErr))
		case len(s.Pending) > 0:
			state += catalog.Say(ctx, "; %d new or changed, and off until you look: /tools approve %s", len(s.Pending), s.Server)
		case len(s.Claims) > 0:
			state += catalog.Say(ctx, "; %d say of themselves that they only read: /tools approve %s, or I ask when they are first used", len(s.Claims), s.Server)
		}
		fmt.Fprintf(&b, "- %s: %s\n", s.Server, state)
	}
	if b.Len() == 0 {
		return ""
	}
	return catalog.Text(ctx, "Tool servers:") + "\n" + b.String()
}

func (t Tools) servers(ctx context.Context, _ gate.Request) (chat.Answer, error) {
	return chat.Answer{Text: cmp.Or(t.serverLines(ctx), catalog.Text(ctx, "No tool servers are set up: mcp.servers lists them."))}, nil
}

// foreign returns a text of a server as one line that says nothing in Markdown.
func foreign(said string, most int) string {
	said, _ = text.Strip(said)
	return quoted(said, most)
}

// approve asks whether what a server has changed is to be used.
func (t Tools) approve(ctx context.Context, r gate.Request) (chat.Answer, error) {
	all := t.Servers()
	i := slices.IndexFunc(all, func(s mcp.Status) bool { return s.Server == r.Args["server"] })
	switch {
	case i < 0:
		return say(ctx, wordsNoToolServer, r.Args["server"])
	case !all[i].Connected:
		return say(ctx, "The tool server %s is not running, so there is nothing to look at now.", all[i].Server)
	case len(all[i].Pending)+len(all[i].Claims) == 0:
		return say(ctx, "Everything the tool server %s has is approved.", all[i].Server)
	}
	about := approval{Server: all[i].Server, Hashes: map[string]string{}}
	var b strings.Builder
	b.WriteString(catalog.Say(ctx, "The tool server %s has something new. These are its own words, and they may try to talk you, or me, into something:", about.Server) + "\n")
	changes := slices.Concat(all[i].Pending, all[i].Claims)
	for n, c := range changes[:min(len(changes), maxApproved)] {
		about.Hashes[c.Tool] = c.Hash
		news := catalog.Text(ctx, "in use")
		switch {
		case n >= len(all[i].Pending):
		case c.New:
			news = catalog.Text(ctx, "new")
		case c.Titled:
			news = catalog.Text(ctx, "only its title is new, or was not kept when it was approved")
		default:
			news = catalog.Say(ctx, "changed (before: %s)", foreign(c.Before, maxServerText))
		}
		if c.Hints != nil && c.Hints.ReadOnly {
			news += catalog.Text(ctx, ", said to change nothing, so it would never ask you")
		}
		name := foreign(c.Tool, maxServerErr)
		if c.Hints != nil && c.Hints.Title != "" {
			name += " (“" + foreign(c.Hints.Title, maxServerErr) + "”)"
		}
		fmt.Fprintf(&b, "- %s, %s: %s\n  %s\n", name, news, foreign(c.Description, maxServerText), foreign(c.Parameters, maxServerText))
	}
	args, err := json.Marshal(about)
	if err != nil {
		return chat.Answer{}, err
	}
	return t.Ask(ctx, r.Message, b.String(), gate.Action{Kind: ActionApprove, Args: args})
}

// Approved returns the yes to /tools approve. It is an owner's alone, whoever was
// asked.
func (t Tools) Approved(ctx context.Context, m chat.Message, s gate.Settled, _ chat.Reply) (chat.Answer, error) {
	var about approval
	if err := json.Unmarshal(s.Args, &about); err != nil {
		return chat.Answer{}, fmt.Errorf("read approval: %w", err)
	}
	if role, err := t.Role(ctx, m); err != nil || role < gate.Owner {
		return chat.Answer{Text: catalog.Text(ctx, "Only my owner can do that.")}, err
	}
	for tool, hash := range about.Hashes {
		err := t.Approve(about.Server, tool, hash)
		if errors.Is(err, mcp.ErrChanged) {
			return say(ctx, "%s has changed again since I showed it to you, so I left it off. /tools approve %s shows what it is now.", foreign(tool, maxServerErr), about.Server)
		}
		if err != nil {
			return chat.Answer{}, err
		}
	}
	return say(ctx, "Approved: %s of %s.", catalog.Many(ctx, len(about.Hashes), "tool"), about.Server)
}
