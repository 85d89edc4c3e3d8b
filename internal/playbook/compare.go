package playbook

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/internal/llm"
	"parley/internal/playbook/judge"
	"parley/internal/text"
)

//go:embed compare.md
var comparePrompt string

const compareSchema = `{"type":"object","additionalProperties":false,"required":["pairs"],"properties":{"pairs":{"type":"array","items":` +
	`{"type":"object","additionalProperties":false,"required":["a","b","kind","why"],"properties":{"a":{"type":"string"},"b":{"type":"string"},` +
	`"kind":{"type":"string","enum":["contradiction","overlap","paraphrase"]},"why":{"type":"string"}}}}}}`

// compareBlock is how many rules are compared with as many others in one call, and
// maxComparisons how many calls are made at most.
const (
	compareBlock   = 20
	maxComparisons = 60
)

// pair is a model's verdict on two rules.
type pair struct{ A, B, Kind, Why string }

// Compare asks a model for pairs of rules that contradict each other, overlap or say
// the same in other words: what words alone do not show. Each rule meets each other
// one, in a call for every two blocks of rules. The error is the model's, or says that
// not all could be compared; the findings are good all the same.
func Compare(ctx context.Context, b *Book, m llm.Model) (found []Finding, err error) {
	var on []*Guideline
	for _, g := range b.doc.Guidelines {
		if g.IsEnabled() {
			on = append(on, g)
		}
	}
	blocks, calls := slices.Collect(slices.Chunk(on, compareBlock)), 0
	seen := map[[2]string]bool{}
	for i := range blocks {
		for k := max(i, min(1, len(blocks)-1)); k < len(blocks); k++ {
			if calls++; calls > maxComparisons {
				return found, fmt.Errorf("%d rules are too many: only some were compared", len(on))
			}
			rules := blocks[i]
			if k != i {
				rules = slices.Concat(blocks[i], blocks[k])
			}
			pairs, e := b.compare(ctx, m, rules)
			if ctx.Err() != nil {
				return found, ctx.Err()
			}
			err = errors.Join(err, e)
			for _, p := range pairs {
				if f, ok := b.paired(p); ok && !seen[[2]string{min(p.A, p.B), max(p.A, p.B)}] {
					seen[[2]string{min(p.A, p.B), max(p.A, p.B)}] = true
					found = append(found, f)
				}
			}
		}
	}
	return found, err
}

func (b *Book) compare(ctx context.Context, m llm.Model, rules []*Guideline) ([]pair, error) {
	type rule struct {
		ID   string `json:"id"`
		When string `json:"when"`
		Do   string `json:"do"`
	}
	list := make([]rule, len(rules))
	for i, g := range rules {
		do := g.Action
		if g.reply != "" {
			do = "Answer: " + g.reply
		}
		list[i] = rule{g.ID, g.Condition, text.Clip(do, 400)}
	}
	body, err := json.Marshal(list)
	if err != nil {
		return nil, fmt.Errorf("compare rules: %w", err)
	}
	resp, err := m.Complete(ctx, llm.Request{Model: b.options.Model, MaxTokens: 1500,
		Messages: []llm.Message{{Role: llm.RoleSystem, Content: comparePrompt}, {Role: llm.RoleUser, Content: string(body)}},
		Schema:   &llm.Schema{Name: "pairs", JSON: json.RawMessage(compareSchema)},
	}, nil)
	if err != nil {
		return nil, fmt.Errorf("compare rules: %w", err)
	}
	var answer struct {
		Pairs []pair `json:"pairs"`
	}
	if err := judge.Decode(resp.Message.Content, "pairs", &answer); err != nil {
		return nil, fmt.Errorf("compare rules: %w", err)
	}
	return answer.Pairs, nil
}

// paired makes a finding of what a model says, if there are such rules and they can
// meet.
func (b *Book) paired(p pair) (f Finding, ok bool) {
	x, y := b.guidelines[p.A], b.guidelines[p.B]
	if x == nil || y == nil || x == y || !overlap(x, y) || bars(x, y) || bars(y, x) ||
		!slices.Contains([]string{"contradiction", "overlap", "paraphrase"}, p.Kind) {
		return f, false
	}
	if x.order > y.order {
		x, y = y, x
	}
	why := strings.TrimSpace(p.Why)
	return Finding{y.At.Src.Name, y.At.Line(), y.ID, p.Kind, fmt.Sprintf("with %s, the model says: %s", x.ID, text.Shorten(why, 200))}, true
}
