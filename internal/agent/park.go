package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/provenance"
	"parley/internal/text"
	"parley/internal/tools"
)

// A turn that makes calls which need a person's yes is parked: it ends with one
// question about them, and the answer to that begins a turn which goes on with
// it (resume.go). What the second needs of the first and is in no transcript
// waits with the question.

// Pending is a tool call that waits for a person's yes.
type Pending struct {
	Tool   string            `json:"tool"`
	Args   string            `json:"args"`
	Key    string            `json:"key"`               // idempotency key of the call
	CallID string            `json:"call_id,omitempty"` // as the model named it
	Row    int64             `json:"row,omitempty"`     // inbox row of the message whose turn made it
	Origin provenance.Origin `json:"origin,omitzero"`
}

// Parked is what of a turn waits with its question.
type Parked struct {
	Said    string            `json:"said"`              // the person's words
	Outside bool              `json:"outside,omitempty"` // of no session
	Via     provenance.Via    `json:"via,omitempty"`     // how the words came
	Taint   tools.Taint       `json:"taint"`
	Origin  provenance.Origin `json:"origin,omitzero"` // of what was read
	Offer   []string          `json:"offer,omitempty"`
	Sources []tools.Source    `json:"sources,omitempty"`
	Rules   string            `json:"rules,omitempty"` // of the playbook, for this turn
}

// Asked is one call in a question.
type Asked struct {
	Say  string // the question, in Markdown
	Spec tools.Spec
	Call Pending
}

// Question is what Options.Confirm makes of calls that need a yes.
type Question struct {
	Answer chat.Answer
	Asks   *memory.Asking
}

// How much of what somebody is to agree to is shown, in runes: of one call and
// in all. More does not fit into one message everywhere, and what cannot be
// shown whole is not done.
const (
	maxAsked  = 1500
	maxAskAll = 1700
)

// askable refuses the calls that nobody can be asked about.
func (t *turn) askable(calls []llm.ToolCall, outcomes []tools.Outcome) []tools.Outcome {
	room := maxAskAll
	for i, o := range outcomes {
		if o.Class != tools.NeedsYes {
			continue
		}
		n := utf8.RuneCountInString(t.question(calls[i], o))
		if spec, _ := t.tools.set.Lookup(calls[i].Name); spec.Confirm && spec.Server == "" && o.Question != "" {
			n = min(n, maxAsked) // one of ours, whose question is all that it is about: it may take several messages
		}
		switch {
		case t.sub != nil:
			o.Result.Content = wordsAskElsewhere
		case t.a.o.Confirm == nil:
			o = unasked(o, wordsNoConfirm)
		case n > maxAsked:
			o = unasked(o, fmt.Sprintf(wordsTooLongToAsk, n, maxAsked))
		case n > room:
			o = unasked(o, wordsTooManyToAsk)
		default:
			room -= n
		}
		outcomes[i] = o
	}
	return outcomes
}

func unasked(o tools.Outcome, why string) tools.Outcome {
	o.State, o.Class, o.Result.Content = tools.Failed, tools.NotAllowed, why
	return o
}

// question is what the person is asked about a call.
func (t *turn) question(c llm.ToolCall, o tools.Outcome) string {
	if o.Question != "" {
		return t.defanged(o.Question)
	}
	say := fmt.Sprintf(wordsConfirm, strings.ReplaceAll(c.Name, "_", " "))
	if list := tools.Listed(o.Args); list != "" {
		say += "\n" + list
	}
	return t.defanged(say)
}

// park ends the turn with a question about the calls that wait for a yes; over
// is false where none does.
func (t *turn) park(ctx context.Context, calls []llm.ToolCall, outcomes []tools.Outcome) (answer chat.Answer, over bool) {
	var asked []Asked
	for i, o := range outcomes {
		if o.Class != tools.NeedsYes || t.sub != nil {
			continue
		}
		spec, _ := t.tools.set.Lookup(calls[i].Name)
		c := t.call(calls[i])
		asked = append(asked, Asked{Say: t.question(calls[i], o), Spec: spec, Call: Pending{
			Tool: calls[i].Name, Args: string(o.Args), Key: c.Key, CallID: calls[i].ID, Row: t.m.Row, Origin: c.Origin,
		}})
	}
	if len(asked) == 0 {
		return chat.Answer{}, false
	}
	parked := Parked{
		Said: t.in.text, Outside: !t.keep, Via: t.via(), Taint: t.trust.taint, Origin: t.trust.origin, Offer: t.tools.offer, Sources: t.sources.cited,
		Rules: t.context.guidance.Instructions,
	}
	q, err := t.a.o.Confirm(ctx, t.m, parked, asked)
	if err != nil {
		t.a.o.Log.Error("ask for confirmation", "err", err)
		return t.finish(wordsNoConfirm, chat.End{Outcome: chat.Refused, Reason: chat.NotAsked}), true
	}
	rec := t.finish(q.Answer.Text, chat.End{Outcome: chat.Asked, Reason: chat.NeedsYes}).Record.(*memory.Turn)
	rec.Asks = q.Asks
	q.Answer.Record = rec
	return q.Answer, true
}

// Propose puts a tool call to the person as a question, as a model's call of the
// same arguments would: for commands that need a yes.
func (a *Agent) Propose(ctx context.Context, m chat.Message, tool string, args map[string]any) (chat.Answer, error) {
	t := a.newTurn(m, input{text: text.Clip(clean(m.Text), maxUsed)}, true)
	t.report.ledger.maxAttempts = attemptsPerCall * a.o.MaxCalls
	if err := t.load(ctx); err != nil {
		return chat.Answer{}, fmt.Errorf("load conversation: %w", err)
	}
	b, err := json.Marshal(args)
	if err != nil {
		return chat.Answer{}, err
	}
	c := llm.ToolCall{ID: "proposed", Name: tool, Args: string(b)}
	o := a.o.Runner.Run(ctx, t.tools.set, t.call(c))
	outcomes := t.askable([]llm.ToolCall{c}, []tools.Outcome{o})
	t.absorb(c, outcomes[0])
	if answer, over := t.park(ctx, []llm.ToolCall{c}, outcomes); over {
		return answer, nil
	}
	return t.finish(told(outcomes[0]), ran(outcomes[0], chat.Answered)), nil
}

// ran is how a message ended that was one call: well, or as the call did.
func ran(o tools.Outcome, well chat.Outcome) chat.End {
	switch o.Class {
	case "":
		return chat.End{Outcome: well}
	case tools.NotAllowed:
		return chat.End{Outcome: chat.Refused, Reason: chat.NoPermission}
	}
	return chat.End{Outcome: chat.Failed, Reason: chat.ToolFailed}
}
