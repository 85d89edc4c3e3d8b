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

// checkFor bounds checking and rewriting an answer.
const checkFor = 10 * time.Second

// draft checks an answer against the enforced rules before anybody sees it.
type draft struct {
	*job
	context *background
	guide   *guidance
	tools   *toolrun
	prompt  *prompt
	report  *report
}

// Lines of /why about a draft.
const (
	wordsBroke      = "the draft broke the rule %s: %s"
	wordsBrokeAgain = "the second draft broke the rule %s: %s"
)

// enforce returns an answer that keeps the enforced rules: unchanged, rewritten once, or in
// the rules' own words. It shows nothing meanwhile. An error means that the turn was
// stopped.
func (d *draft) enforce(ctx context.Context, said string, kind chat.End) (string, chat.End, error) {
	rules := d.guide.Enforced
	if len(rules) == 0 || d.sub != nil {
		return said, kind, nil
	}
	within, cancel := context.WithTimeout(ctx, d.a.checkFor)
	defer cancel()
	broken, err := d.look(within, said, rules)
	if err == nil && len(broken) == 0 {
		d.looked(catalog.Say(ctx, "the answer was checked and keeps %s", ids(rules)))
		return said, kind, nil
	}
	words := wordsBroke
	if err == nil {
		d.broke(words, broken)
		words = wordsBrokeAgain
		var again string
		if again, kind, err = d.rewrite(within, said, broken); err == nil {
			said = again
			if broken, err = d.look(within, said, rules); err == nil && len(broken) == 0 {
				d.looked(catalog.Say(ctx, "the answer was written anew, checked, and keeps %s", ids(rules)))
				return said, kind, nil
			}
		}
	}
	if cause := context.Cause(ctx); cause != nil {
		return "", kind, cause
	}
	if err != nil {
		d.a.o.Log.Warn("check an answer", "err", err)
	}
	if len(broken) == 0 { // which ones is unknown
		for _, r := range rules {
			broken = append(broken, review.Breach{Rule: r})
			d.looked(catalog.Say(ctx, "whether the draft keeps the rule %s could not be checked", r.ID))
		}
	} else {
		d.broke(words, broken)
	}
	var own []review.Rule
	for _, b := range broken {
		own = append(own, b.Rule)
	}
	d.looked(catalog.Say(ctx, "the answer is what the rules themselves say: %s", ids(own)))
	d.report.worded = false
	return review.Instead(broken), chat.End{Outcome: chat.Answered}, nil
}

// look returns the rules that an answer breaks: by code and, if that finds none and a rule
// needs it, by one model call. An error means unknown.
func (d *draft) look(ctx context.Context, said string, rules []review.Rule) ([]review.Breach, error) {
	broken := review.Look(said, rules, func(tools []string) bool { return d.worked(ctx, tools) })
	model := d.judge()
	if len(broken) > 0 || model == nil || d.report.rote || !slices.ContainsFunc(rules, review.Rule.Judged) {
		return broken, nil
	}
	began := d.a.o.Now()
	broken, used, err := review.Judge{Model: model, Spend: d.report.ledger.spend}.Ask(ctx, d.in.text, said, rules)
	d.report.ledger.add(1, used)
	d.report.lap(memory.Lap{Kind: "rules", Name: "draft", Tokens: used.Total}, began, d.a.o.Now().Sub(began))
	return broken, err
}

func (d *draft) rewrite(ctx context.Context, said string, broken []review.Breach) (string, chat.End, error) {
	began := d.a.o.Now()
	messages := append(d.prompt.messages(), llm.Message{Role: llm.RoleAssistant, Content: said}, llm.Message{Role: llm.RoleUser,
		Content: review.Repair(broken)})
	req := llm.Request{Model: d.modelName(), Messages: messages, Spend: d.report.ledger.spend, Cache: d.context.session.ID}
	resp, err := d.models().Complete(ctx, req, nil)
	d.report.lap(memory.Lap{Kind: "model", Name: "draft", Tokens: resp.Usage.Total}, began, d.a.o.Now().Sub(began))
	d.report.lose(err)
	if err != nil {
		return "", chat.End{}, fmt.Errorf("write the answer anew: %w", err)
	}
	d.report.account(resp)
	kind, again := kindOf(strings.TrimSpace(resp.Message.Content))
	if again == "" || len(resp.Message.ToolCalls) > 0 || resp.Finish == llm.FinishLength {
		return "", kind, errors.New("write the answer anew: there is no whole answer")
	}
	return again, kind, nil
}

// worked reports whether one of these tools has succeeded in this conversation.
func (d *draft) worked(ctx context.Context, tools []string) bool {
	is := func(name string) bool { return slices.Contains(tools, name) }
	if slices.ContainsFunc(d.tools.worked, is) {
		return true
	}
	earlier, err := d.a.o.Store.Worked(ctx, d.context.session.ID, d.m.From.ID)
	if err != nil {
		d.a.o.Log.Warn("read what tools did", "err", err)
	}
	return slices.ContainsFunc(earlier, is)
}

// looked adds a line to /why about a check of the answer.
func (d *draft) looked(line string) { d.guide.Why = append(d.guide.Why, line) }

// broke adds to /why which rules a draft broke, in these words.
func (d *draft) broke(words string, broken []review.Breach) {
	for _, b := range broken {
		d.looked(d.in.p.Say(words, b.Rule.ID, b.Why))
	}
}

func ids(rules []review.Rule) string {
	var list []string
	for _, r := range rules {
		list = append(list, r.ID)
	}
	return strings.Join(list, ", ")
}
