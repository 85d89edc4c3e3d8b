package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/playbook/review"
	"parley/internal/text/catalog"
)

// checkFor is how long an answer may be checked and written anew.
const checkFor = 10 * time.Second

// enforce returns an answer that keeps the enforced rules: as it is, written anew once,
// or in the rules' own words. It shows nothing meanwhile. An error means that the
// turn was stopped.
func (t *turn) enforce(ctx context.Context, said string, kind chat.End) (string, chat.End, error) {
	rules := t.context.guidance.Enforced
	if len(rules) == 0 || t.sub != nil {
		return said, kind, nil
	}
	within, cancel := context.WithTimeout(ctx, t.a.checkFor)
	defer cancel()
	broken, err := t.look(within, said, rules)
	if err == nil && len(broken) == 0 {
		t.looked(catalog.Say(ctx, "the answer was checked and keeps %s", ids(rules)))
		return said, kind, nil
	}
	if err == nil {
		t.broke(broken)
		var again string
		if again, kind, err = t.rewrite(within, said, broken); err == nil {
			said = again
			if broken, err = t.look(within, said, rules); err == nil && len(broken) == 0 {
				t.looked(catalog.Say(ctx, "the answer was written anew, checked, and keeps %s", ids(rules)))
				return said, kind, nil
			}
		}
	}
	if cause := context.Cause(ctx); cause != nil {
		return "", kind, cause
	}
	if err != nil {
		t.a.o.Log.Warn("check an answer", "err", err)
	}
	if len(broken) == 0 { // nobody knows which
		for _, r := range rules {
			broken = append(broken, review.Breach{Rule: r, Why: catalog.Text(ctx, "It could not be checked.")})
		}
	}
	t.broke(broken)
	var own []review.Rule
	for _, b := range broken {
		own = append(own, b.Rule)
	}
	t.looked(catalog.Say(ctx, "the answer is what the rules themselves say: %s", ids(own)))
	t.report.worded = false
	return review.Instead(broken), chat.End{Outcome: chat.Answered}, nil
}

// look returns the rules that an answer breaks: by code, and if that finds none, by one
// call of a model where a rule needs one. An error means that nobody knows.
func (t *turn) look(ctx context.Context, said string, rules []review.Rule) ([]review.Breach, error) {
	broken := review.Look(said, rules, func(tools []string) bool { return t.worked(ctx, tools) })
	model := t.judge()
	if len(broken) > 0 || model == nil || t.report.rote || !slices.ContainsFunc(rules, review.Rule.Judged) {
		return broken, nil
	}
	began := t.a.o.Now()
	broken, used, err := review.Judge{Model: model, Spend: t.report.ledger.spend}.Ask(ctx, t.in.text, said, rules)
	t.report.ledger.add(1, used)
	t.report.lap(memory.Lap{Kind: "rules", Name: "draft", Tokens: used.Total}, began, t.a.o.Now().Sub(began))
	return broken, err
}

// rewrite has the model write its answer anew.
func (t *turn) rewrite(ctx context.Context, said string, broken []review.Breach) (string, chat.End, error) {
	began := t.a.o.Now()
	messages := append(t.messages(), llm.Message{Role: llm.RoleAssistant, Content: said}, llm.Message{Role: llm.RoleUser,
		Content: review.Repair(broken)})
	req := llm.Request{Model: t.modelName(), Messages: messages, Spend: t.report.ledger.spend, Cache: t.context.session.ID}
	resp, err := t.models().Complete(ctx, req, nil)
	t.report.lap(memory.Lap{Kind: "model", Name: "draft", Tokens: resp.Usage.Total}, began, t.a.o.Now().Sub(began))
	t.report.lose(err)
	if err != nil {
		return "", chat.End{}, fmt.Errorf("write the answer anew: %w", err)
	}
	t.report.account(resp)
	kind, again := kindOf(strings.TrimSpace(resp.Message.Content))
	if again == "" || len(resp.Message.ToolCalls) > 0 || resp.Finish == llm.FinishLength {
		return "", kind, errors.New("write the answer anew: there is no whole answer")
	}
	return again, kind, nil
}

// worked reports whether one of these tools has done something in this conversation.
func (t *turn) worked(ctx context.Context, tools []string) bool {
	is := func(name string) bool { return slices.Contains(tools, name) }
	if slices.ContainsFunc(t.tools.worked, is) {
		return true
	}
	earlier, err := t.a.o.Store.Worked(ctx, t.context.session.ID, t.m.From.ID)
	if err != nil {
		t.a.o.Log.Warn("read what tools did", "err", err)
	}
	return slices.ContainsFunc(earlier, is)
}

// looked notes for /why what came of a look at the answer.
func (t *turn) looked(line string) { t.context.guidance.Why = append(t.context.guidance.Why, line) }

// broke notes for /why which rules a draft broke.
func (t *turn) broke(broken []review.Breach) {
	for _, b := range broken {
		t.looked(t.in.p.Say("the draft broke the rule %s: %s", b.Rule.ID, b.Why))
	}
}

func ids(rules []review.Rule) string {
	var list []string
	for _, r := range rules {
		list = append(list, r.ID)
	}
	return strings.Join(list, ", ")
}
