package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/internal/admin"
	"parley/internal/chat"
	"parley/internal/text"
	"parley/internal/tools/mcp"
)

// actionApprove is the kind of a confirmation that approves tools of a server.
const actionApprove = "approve"

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

// status is how the tool servers stand; one that has died silently is found
// out by the next time.
func (t *toolset) status() []mcp.Status {
	if t.servers == nil {
		return nil
	}
	t.servers.Look()
	return t.servers.Status()
}

func (a *app) suggestServer(_ context.Context, _ chat.Message, prefix string) (names []string) {
	for _, s := range a.toolset.status() {
		if strings.HasPrefix(s.Server, prefix) {
			names = append(names, s.Server)
		}
	}
	return names
}

// serverLines are the servers as /tools shows them.
func (a *app) serverLines() string {
	var b strings.Builder
	for _, s := range a.toolset.status() {
		state := fmt.Sprintf(wordsServerUp, many(len(s.Tools), "tool"))
		switch {
		case !s.Connected && s.Err == "":
			state = wordsServerStarts
		case !s.Connected:
			state = fmt.Sprintf(wordsServerDown, foreign(s.Err, maxServerErr))
		case len(s.Pending) > 0:
			state += fmt.Sprintf(wordsServerPending, len(s.Pending), s.Server)
		}
		fmt.Fprintf(&b, "- %s: %s\n", s.Server, state)
	}
	if b.Len() == 0 {
		return ""
	}
	return wordsServers + "\n" + b.String()
}

func (a *app) runServers(context.Context, admin.Request) (chat.Answer, error) {
	return chat.Answer{Text: cmp.Or(a.serverLines(), wordsNoServers)}, nil
}

// foreign is text of a server as one line that says nothing in Markdown.
func foreign(s string, most int) string {
	s, _ = text.Strip(s)
	s = strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "`", "'")
	return "`" + clip(s, most) + "`"
}

// runApprove asks whether what a server has changed is to be used.
func (a *app) runApprove(ctx context.Context, r admin.Request) (chat.Answer, error) {
	all := a.toolset.status()
	i := slices.IndexFunc(all, func(s mcp.Status) bool { return s.Server == r.Args["server"] })
	switch {
	case i < 0:
		return chat.Answer{Text: fmt.Sprintf(wordsNoToolServer, r.Args["server"])}, nil
	case !all[i].Connected:
		return chat.Answer{Text: fmt.Sprintf(wordsServerNotUp, all[i].Server)}, nil
	case len(all[i].Pending) == 0:
		return chat.Answer{Text: fmt.Sprintf(wordsNonePending, all[i].Server)}, nil
	}
	shown := all[i].Pending[:min(len(all[i].Pending), maxApproved)]
	about := approval{Server: all[i].Server, Hashes: map[string]string{}}
	var b strings.Builder
	fmt.Fprintf(&b, wordsApprove+"\n", about.Server)
	for _, c := range shown {
		about.Hashes[c.Tool] = c.Hash
		news := wordsToolNew
		if !c.New {
			news = fmt.Sprintf(wordsToolChanged, foreign(c.Before, maxServerText))
		}
		fmt.Fprintf(&b, "- %s, %s: %s\n  %s\n", foreign(c.Tool, maxServerErr), news, foreign(c.Description, maxServerText), foreign(c.Parameters, maxServerText))
	}
	args, err := json.Marshal(about)
	if err != nil {
		return chat.Answer{}, err
	}
	return a.front.confirm.Ask(ctx, r.Message, b.String(), admin.Action{Kind: actionApprove, Args: args})
}

// approved is the yes to runApprove.
func (a *app) approved(ctx context.Context, m chat.Message, act admin.Action) (chat.Answer, error) {
	var about approval
	if err := json.Unmarshal(act.Args, &about); err != nil {
		return chat.Answer{}, fmt.Errorf("read approval: %w", err)
	}
	if role, err := a.front.gate.Role(ctx, m); err != nil || role < admin.Owner {
		return chat.Answer{Text: wordsNotOwner}, err
	}
	for tool, hash := range about.Hashes {
		err := a.toolset.servers.Approve(about.Server, tool, hash)
		if errors.Is(err, mcp.ErrChanged) {
			return chat.Answer{Text: fmt.Sprintf(wordsToolMoved, foreign(tool, maxServerErr), about.Server)}, nil
		}
		if err != nil {
			return chat.Answer{}, err
		}
	}
	return chat.Answer{Text: fmt.Sprintf(wordsApproved, many(len(about.Hashes), "tool"), about.Server)}, nil
}
