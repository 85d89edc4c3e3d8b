package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"parley/internal/text/catalog"
	"slices"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/provenance"
	"parley/internal/playbook"
	"parley/internal/text"
	"parley/internal/tools"
)

const (
	wordsNoConfirm    = "That needs a confirmation, which I can't ask for here."
	wordsNothingDone  = "Nothing was changed."
	wordsTooManyToAsk = "Not done: the person must agree to this, and one message cannot hold more. Call it again after " +
		"they have answered what they are asked now."
)

// A turn with calls that need a person's yes is parked: it ends with one question about
// them, and the answer starts a turn that continues it (resume.go). What that turn needs and
// no transcript has is stored with the question.

// Pending is a tool call that waits for a person's yes.
type Pending struct {
	Tool   string `json:"tool"`
	Args   string `json:"args"`
	Key    string `json:"key"`               // idempotency key of the call
	CallID string `json:"call_id,omitempty"` // as the model named it
	Row    int64  `json:"row,omitempty"`     // inbox row of the message whose turn made it
	// Message is the platform's id of the words that led to the call: what it leaves hangs on
	// them, and not on the yes.
	Message string            `json:"message,omitempty"`
	Origin  provenance.Origin `json:"origin,omitzero"`
	// Inquiry names what the call's server asks the person; "" is nothing.
	Inquiry string `json:"inquiry,omitempty"`
	// Journey is the one that the call was made in, Step its step that made it; "" for none.
	Journey string `json:"journey,omitempty"`
	Step    string `json:"step,omitempty"`
}

// Parked is the part of a turn that is stored with its question.
type Parked struct {
	Said    string            `json:"said"`              // the person's words
	Outside bool              `json:"outside,omitempty"` // belongs to no session
	Via     provenance.Via    `json:"via,omitempty"`     // how the words came
	Taint   tools.Taint       `json:"taint"`
	Origin  provenance.Origin `json:"origin,omitzero"` // of what was read
	Offer   []string          `json:"offer,omitempty"`
	Sources []tools.Source    `json:"sources,omitempty"`
	Rules   string            `json:"rules,omitempty"`  // of the playbook, for this turn
	Demands playbook.Demands  `json:"demands,omitzero"` // on its answer
	Agent   string            `json:"agent,omitempty"`  // whose turn it is
	Session string            `json:"session,omitempty"`
	// Wish lists the inbox rows of all that led to the question.
	Wish []int64 `json:"wish,omitempty"`
	// Allowed are the tool servers that the person has said yes to for this task.
	Allowed []string `json:"allowed,omitempty"`
}

// Asked is one call in a question.
type Asked struct {
	Say  string // the question, in Markdown
	Spec tools.Spec
	Call Pending
	Form *chat.Form // nil is a question for a yes
	// Once is true if a yes is for this call alone, and no yes in advance is offered.
	Once bool
}

// Waiting is a call that a subagent made and cannot ask about.
type Waiting struct {
	Say  string  `json:"say"` // the question, in Markdown
	Call Pending `json:"call"`
	Once bool    `json:"once,omitempty"`
}

// Question is what Options.Confirm makes of calls that need a yes.
type Question struct {
	Answer chat.Answer
	Asks   *memory.Asking
}

// why returns how a turn that asks this ends.
func (q Question) why(asked []Asked) chat.End {
	if asked[0].Form != nil {
		return chat.End{Outcome: chat.Asked, Reason: chat.NeedsAnswer}
	}
	return chat.End{Outcome: chat.Asked, Reason: chat.NeedsYes}
}

// wordsUnvouched is the line of /why for whom nobody vouches (gate.Unvouched).
const wordsUnvouched = "Your own yes was not enough: nobody has let you in, you may speak here because I am open to everybody. " +
	"An administrator of this place or my owner has to agree."

// park ends the turn with a question about the calls that wait for a yes; over
// is false where none does.
func (t *turn) park(ctx context.Context, calls []llm.ToolCall, outcomes []tools.Outcome) (answer chat.Answer, over bool) {
	asked := t.asks.inquired(calls, outcomes)
	for i, o := range outcomes {
		if o.Class != tools.NeedsYes || t.sub != nil {
			continue
		}
		spec, _ := t.tools.set.Lookup(calls[i].Name)
		asked = append(asked, Asked{Say: t.asks.question(calls[i], o), Spec: spec, Call: t.asks.pending(calls[i], o), Once: len(o.Far) > 0})
	}
	if t.sub == nil && firstInquiry(outcomes) < 0 { // one question at a time
		for _, w := range t.asks.waits {
			spec, _ := t.tools.set.Lookup(w.Call.Tool)
			asked = append(asked, Asked{Say: w.Say, Spec: spec, Call: w.Call, Once: w.Once})
		}
		t.asks.waits = nil
	}
	if len(asked) == 0 {
		return chat.Answer{}, false
	}
	parked := Parked{
		Agent: t.m.Agent.ID, Allowed: t.tools.allowed,
		Said: t.in.text, Outside: !t.keep, Via: t.via(), Taint: t.trust.taint, Origin: t.trust.origin, Offer: t.tools.offer,
		Sources: t.sources.cited,
		Rules:   t.guide.Instructions, Demands: t.guide.Demands, Wish: slices.Concat(t.asks.wish, t.m.With),
	}
	if t.keep {
		parked.Session = t.context.session.ID
	}
	t.asks.within(asked)
	q, err := t.a.o.Confirm(ctx, t.m, parked, asked)
	if err != nil {
		t.a.inquiries.Drop(asked[0].Call.Inquiry)
		t.a.o.Log.Error("ask for confirmation", "err", err)
		said, ok := t.in.p.Sentence(err)
		if !ok {
			said = t.in.p.Text(wordsNoConfirm)
		}
		return t.finish(said, chat.End{Outcome: chat.Refused, Reason: chat.NotAsked}), true
	}
	if slices.ContainsFunc(asked, func(c Asked) bool { return c.Spec.Over && c.Form == nil }) {
		t.guide.Why = append(t.guide.Why, t.in.p.Text(wordsUnvouched))
	}
	asks := t.finish(q.Answer.Text, q.why(asked))
	rec := asks.Record.(*memory.Turn)
	rec.Asks = q.Asks
	q.Answer.Record, q.Answer.Files = rec, asks.Files
	return q.Answer, true
}

// Propose asks the person about a tool call as if the model had made it: for commands that
// need a yes.
func (a *Agent) Propose(ctx context.Context, m chat.Message, tool string, args map[string]any) (chat.Answer, error) {
	t := a.newTurn(m, input{p: catalog.Of(ctx), text: text.Clip(text.Plain(m.Text), maxUsed)}, true)
	t.report.ledger.maxAttempts = attemptsPerCall * a.o.MaxCalls
	if err := t.load(ctx); err != nil {
		return chat.Answer{}, fmt.Errorf("load conversation: %w", err)
	}
	b, err := json.Marshal(args)
	if err != nil {
		return chat.Answer{}, err
	}
	c := llm.ToolCall{ID: "proposed", Name: tool, Args: string(b)}
	o := a.o.Runner.Run(tools.WithPerson(ctx, tools.Person{Guard: t.tools.guards.Rule}), t.tools.set, t.tools.call(c))
	outcomes := t.asks.askable([]llm.ToolCall{c}, []tools.Outcome{o})
	t.absorb(c, outcomes[0])
	if answer, over := t.park(ctx, []llm.ToolCall{c}, outcomes); over {
		return answer, nil
	}
	return t.finish(cmp.Or(outcomes[0].Result.Told(), t.in.p.Text(wordsNothingDone)), ran(outcomes[0], chat.Answered)), nil
}

// ran returns how a message that was one call ended: well, or as the call did.
func ran(o tools.Outcome, well chat.Outcome) chat.End {
	switch o.Class {
	case "":
		return chat.End{Outcome: well}
	case tools.NotAllowed, tools.Guarded:
		return chat.End{Outcome: chat.Refused, Reason: chat.NoPermission}
	}
	return chat.End{Outcome: chat.Failed, Reason: chat.ToolFailed}
}
