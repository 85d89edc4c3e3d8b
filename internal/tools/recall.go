package tools

import (
	"context"
	_ "embed" // description
	"strings"

	"parley/internal/memory"
	"parley/internal/provenance"
)

//go:embed recall.md
var recallText string

// recallTokens is how much of a turn's context the quoted messages may take.
const recallTokens = 1000

// RecallConversation returns the tool recall_conversation: past messages of what
// the person may see from here, by the same rules as everywhere. Before a direct
// chat searches groups, attest checks which of them the person is still in; nil
// checks nothing.
func RecallConversation(store *memory.Store, attest func(ctx context.Context, user string)) Tool {
	type args struct {
		Query string `json:"query" jsonschema:"what to look for, in a few words"`
	}
	meta := Meta{Name: "recall_conversation", Description: strings.TrimSpace(recallText), Category: Thread, ReadOnly: true, Core: true}
	return Func(meta, func(ctx context.Context, c Call, a args) (Result, error) {
		q := memory.Query{User: c.Who.ID, Text: a.Query, Tokens: recallTokens, Signs: true}
		if !c.Direct {
			q.Key = c.Where
		} else if attest != nil {
			attest(ctx, c.Who.ID)
		}
		found, err := store.Recall(ctx, q)
		if err != nil {
			return Result{}, err
		}
		if len(found) == 0 {
			return Result{Content: "Nothing was said about that here, as far as I can find."}, nil
		}
		r := Result{Private: true}
		lines := make([]string, len(found))
		for i, p := range found {
			lines[i] = p.Text
			r.Origin = r.Origin.And(p.Origin)
			if o := p.Origin.Of(p.User); o.Outside(c.Who.ID) {
				r.Origin = r.Origin.And(o)
				r.Origin.Via |= provenance.ViaPerson
			}
		}
		r.Content = strings.Join(lines, "\n")
		return r, nil
	})
}
