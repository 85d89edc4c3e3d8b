package playbook

import (
	"context"
	"strings"

	"parley/internal/llm"
	"parley/internal/playbook/judge"
)

// MaySpeak reports, without a model, whether a rule may have the bot speak about what was said
// to others: its condition holds, or has words for a model to judge and shares one with the
// message. Recent, State, Roles and Tools of the situation need not be there.
func (b *Book) MaySpeak(ctx context.Context, s Situation) bool {
	if s.Overheard = true; !b.speaks {
		return false
	}
	t := b.newTurn(ctx, s)
	var score map[int]float64
	for _, g := range b.doc.Guidelines {
		if !g.Unasked || !t.enabled(g) {
			continue
		}
		if bare := (&Guideline{Unasked: true, Platforms: g.Platforms, Channels: g.Channels}); t.scope(bare) != "" {
			continue
		}
		if holds, _ := t.holds(g.when); holds >= b.threshold {
			return true
		}
		if score == nil {
			score = b.index.scores(t.words())
		}
		if score[g.order] > 0 && len(g.when.Open(t.known)) > 0 {
			return true
		}
	}
	return false
}

// overhear has a model judge the rules that may speak about what was said to others, where
// they share a word with it.
func (t *turn) overhear(ctx context.Context, m llm.Model) {
	rules := t.ruleQuestions(ctx)
	if len(rules) == 0 || strings.TrimSpace(t.sit.Text) == "" {
		return
	}
	q := judge.Question{Newest: t.sit.Text, Conditions: rules}
	for _, term := range t.terms() {
		q.Words = append(q.Words, judge.Term{Term: term.Term, Meaning: term.Meaning})
	}
	q.Tools = t.toolQuestions(q.Conditions)
	t.judge(ctx, m, q)
}
