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
		state := catalog.Say(ctx, wordsServerUp, catalog.Many(ctx, len(s.Tools), "tool"))
		switch {
		case s.Login:
			state = catalog.Say(ctx, wordsServerLogin, s.Server)
		case !s.Connected && s.Err == "":
			state = catalog.Text(ctx, wordsServerStarts)
		case !s.Connected:
			state = catalog.Say(ctx, wordsServerDown, foreign(s.Err, maxServerErr))
		case len(s.Pending) > 0:
			state += catalog.Say(ctx, wordsServerPending, len(s.Pending), s.Server)
		case len(s.Claims) > 0:
			state += catalog.Say(ctx, wordsServerClaims, len(s.Claims), s.Server)
		}
		fmt.Fprintf(&b, "- %s: %s\n", s.Server, state)
	}
	if b.Len() == 0 {
		return ""
	}
	return catalog.Text(ctx, wordsServers) + "\n" + b.String()
}

func (t Tools) servers(ctx context.Context, _ gate.Request) (chat.Answer, error) {
	return chat.Answer{Text: cmp.Or(t.serverLines(ctx), catalog.Text(ctx, wordsNoServers))}, nil
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
		return say(ctx, wordsServerNotUp, all[i].Server)
	case len(all[i].Pending)+len(all[i].Claims) == 0:
		return say(ctx, wordsNonePending, all[i].Server)
	}
	about := approval{Server: all[i].Server, Hashes: map[string]string{}}
	var b strings.Builder
	b.WriteString(catalog.Say(ctx, wordsApprove, about.Server) + "\n")
	changes := slices.Concat(all[i].Pending, all[i].Claims)
	for n, c := range changes[:min(len(changes), maxApproved)] {
		about.Hashes[c.Tool] = c.Hash
		news := catalog.Text(ctx, wordsToolInUse)
		switch {
		case n >= len(all[i].Pending):
		case c.New:
			news = catalog.Text(ctx, wordsToolNew)
		case c.Titled:
			news = catalog.Text(ctx, wordsToolTitled)
		default:
			news = catalog.Say(ctx, wordsToolChanged, foreign(c.Before, maxServerText))
		}
		if c.Hints != nil && c.Hints.ReadOnly {
			news += catalog.Text(ctx, wordsToolReads)
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
		return chat.Answer{Text: catalog.Text(ctx, wordsNotOwner)}, err
	}
	for tool, hash := range about.Hashes {
		err := t.Approve(about.Server, tool, hash)
		if errors.Is(err, mcp.ErrChanged) {
			return say(ctx, wordsToolMoved, foreign(tool, maxServerErr), about.Server)
		}
		if err != nil {
			return chat.Answer{}, err
		}
	}
	return say(ctx, wordsApproved, catalog.Many(ctx, len(about.Hashes), "tool"), about.Server)
}
