package tools

import (
	"cmp"
	"context"
	_ "embed" // description
	"fmt"
	"strings"

	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/provenance"
	"parley/internal/memory/sessions"
)

//go:embed recall.md
var recallText string

// How much of a turn's context one page of quoted messages may take, unless the model asks for
// more, and how many pages there are.
const (
	recallTokens    = 1000
	maxRecallTokens = 4000
	maxRecallPage   = 20
)

// RecallConversation returns the tool recall_conversation: past messages of what
// the person may see from here, by the same rules as everywhere. Before a direct
// chat searches groups, attest checks which of them the person is still in; nil
// checks nothing.
func RecallConversation(store *memory.Store, attest func(ctx context.Context, user string)) Tool {
	type args struct {
		Query  string `json:"query" jsonschema:"what to look for, in a few words"`
		Page   int    `json:"page,omitempty" jsonschema:"2 and 3 for what fits less well"`
		Tokens int    `json:"tokens,omitempty"`
	}
	meta := Meta{Name: "recall_conversation", Words: "searches what was said before",
		Description: strings.TrimSpace(recallText), Category: Thread, ReadOnly: true, Core: true}
	return Func(meta, func(ctx context.Context, c Call, a args) (Result, error) {
		q := memory.Query{User: c.Who.ID, Text: a.Query, Signs: true, Agent: c.Memory.ID, ByDay: true,
			Page: min(max(a.Page, 1), maxRecallPage), Tokens: min(max(a.Tokens, recallTokens), maxRecallTokens), Size: tokensOf}
		if !c.Direct {
			q.Key = c.Where
		} else if attest != nil {
			attest(ctx, c.Who.ID)
		}
		sessions, err := store.Past.Search(ctx, provenance.Viewer{User: c.Who.ID, Key: q.Key, Direct: c.Direct, Agent: c.Memory},
			a.Query, recallTokens/4)
		if err != nil {
			return Result{}, err
		}
		for _, s := range sessions {
			q.Tokens -= tokensOf(s.Text) // on every page, so that each goes on where the one before ended
		}
		found, err := store.Recall(ctx, q)
		if err != nil {
			return Result{}, err
		}
		if q.Page > 1 {
			sessions = nil
		}
		if len(found)+len(sessions) == 0 {
			return Result{Content: nothingSaid(q.Page)}, nil
		}
		r := Result{Private: true}
		lines := append(wholeSessions(&r, c, sessions), memory.Written(found)...)
		for _, p := range found {
			r.Origin = r.Origin.And(p.Origin)
			if o := p.Origin.Of(p.User); o.Outside(c.Who.ID) {
				r.found(c.Who.ID, o)
			}
		}
		r.Content = strings.Join(lines, "\n")
		return r, nil
	})
}

// nothingSaid is the result of a page with nothing on it.
func nothingSaid(page int) string {
	if page > 1 {
		return "Nothing more was said about that here, as far as I can find."
	}
	return "Nothing was said about that here, as far as I can find."
}

// tokensOf estimates what a text takes of a model's context.
func tokensOf(text string) int { return llm.EstimateTokens(llm.Message{Content: text}) }

// wholeSessions adds sessions to a result as sources, and returns a line for
// each with its number.
func wholeSessions(r *Result, c Call, sessions []sessions.Found) (lines []string) {
	for i, s := range sessions {
		said := "A whole conversation, in short: " + s.Text
		if s.Decision {
			said = s.Text
		}
		lines = append(lines, fmt.Sprintf("[%d] %s", i+1, said))
		r.Sources = append(r.Sources, Source{Kind: "session", ID: s.ID, Title: cmp.Or(s.Title, "a conversation"),
			Path: "conversation of " + s.Last.UTC().Format("2 January 2006"), Text: s.Text, Snippet: s.Text})
		r.found(c.Who.ID, s.Origin)
	}
	return lines
}
