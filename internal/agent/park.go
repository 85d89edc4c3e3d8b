package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"parley/internal/text/catalog"
	"strings"
	"unicode/utf8"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/provenance"
	"parley/internal/playbook"
	"parley/internal/text"
	"parley/internal/tools"
)

// Said in more than one place.
const (
	wordsNoConfirm    = "That needs a confirmation, which I can't ask for here."
	wordsNothingDone  = "Nothing was changed."
	wordsTooManyToAsk = "Not done: the person must agree to this, and one message cannot hold more. Call it again after " +
		"they have answered what they are asked now."
)

// A turn with calls that need a person's yes is parked: it ends with one question
// about them, and the answer starts a turn that continues it (resume.go). What the
// second turn needs from the first, and no transcript has, waits with the question.

// Pending is a tool call that waits for a person's yes.
type Pending struct {
	Tool   string            `json:"tool"`
	Args   string            `json:"args"`
	Key    string            `json:"key"`               // idempotency key of the call
	CallID string            `json:"call_id,omitempty"` // as the model named it
	Row    int64             `json:"row,omitempty"`     // inbox row of the message whose turn made it
	Origin provenance.Origin `json:"origin,omitzero"`
	// Inquiry names what the call's server asks the person; "" is nothing.
	Inquiry string `json:"inquiry,omitempty"`
}

// Parked is the part of a turn that waits with its question.
type Parked struct {
	Said    string            `json:"said"`              // the person's words
	Outside bool              `json:"outside,omitempty"` // of no session
	Via     provenance.Via    `json:"via,omitempty"`     // how the words came
	Taint   tools.Taint       `json:"taint"`
	Origin  provenance.Origin `json:"origin,omitzero"` // of what was read
	Offer   []string          `json:"offer,omitempty"`
	Sources []tools.Source    `json:"sources,omitempty"`
	Rules   string            `json:"rules,omitempty"`  // of the playbook, for this turn
	Demands playbook.Demands  `json:"demands,omitzero"` // on its answer
	Agent   string            `json:"agent,omitempty"`  // whose turn it is
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

// How long a question may be, in runes: about one call and in all. More does not fit
// into one message on every platform, and a call that cannot be shown in full is not
// run. One about a tool of ours, which is all that is asked, may take some messages.
const (
	maxAsked    = 1500
	maxAskAll   = 1700
	maxAskedOwn = 8000
)

// asksFor is how much room a question takes, as part of a list.
func asksFor(say string) int { return utf8.RuneCountInString(say) + 4*(1+strings.Count(say, "\n")) }

// why is how a turn ends that asks this.
func (q Question) why(asked []Asked) chat.End {
	if asked[0].Form != nil {
		return chat.End{Outcome: chat.Asked, Reason: chat.NeedsAnswer}
	}
	return chat.End{Outcome: chat.Asked, Reason: chat.NeedsYes}
}

// askable refuses the calls that nobody can be asked about.
func (t *turn) askable(calls []llm.ToolCall, outcomes []tools.Outcome) []tools.Outcome {
	room := maxAskAll
	for _, w := range t.tools.waits {
		room -= asksFor(w.Say)
	}
	first := firstInquiry(outcomes)
	for i, o := range outcomes {
		if o.Class != tools.NeedsYes {
			continue
		}
		n, limit := asksFor(t.question(calls[i], o)), maxAsked
		if spec, _ := t.tools.set.Lookup(calls[i].Name); spec.Confirm && spec.Server == "" && o.Question != "" {
			limit = maxAskedOwn
		}
		switch {
		case first >= 0: // one question at a time
			o = unasked(o, wordsTooManyToAsk)
		case t.a.o.Confirm == nil:
			o = unasked(o, wordsNoConfirm)
		case t.sub != nil && t.tools.set.ForAgent("").Only(calls[i].Name).Len() == 0: // the conversation may not make it either
			o = unasked(o, "Nothing was done: this needs the person's yes, and you cannot ask them. Leave it, and say so in your answer.")
		case n > limit:
			o = unasked(o, fmt.Sprintf("Not done: the person must agree to this and has to see all of it, and it has %d characters, of "+
				"which one message holds %d. Make it shorter, or do it in parts.", n, limit))
			t.report.deeds = append(t.report.deeds, tools.Deed{Note: t.in.p.Say("_Not done: %s. You would have to agree to it, and it is too long to be shown whole._", strings.ReplaceAll(calls[i].Name, "_", " "))})
		case min(n, maxAsked) > room:
			o = unasked(o, wordsTooManyToAsk)
		default:
			room -= min(n, maxAsked)
			if t.sub != nil {
				o.Result.Content = "Not done yet: this needs the person's yes, and they are asked when you are finished. Do not " +
					"call it again. Go on with what does not depend on it, and say in your answer what waits."
				t.tools.waits = append(t.tools.waits, Waiting{t.question(calls[i], o), t.pending(calls[i], o), len(o.Far) > 0})
			}
		}
		outcomes[i] = o
	}
	return outcomes
}

// pending is a call that waits.
func (t *turn) pending(c llm.ToolCall, o tools.Outcome) Pending {
	made := t.call(c)
	return Pending{Tool: c.Name, Args: string(o.Args), Key: made.Key, CallID: c.ID, Row: t.m.Row, Origin: made.Origin}
}

// takeUp makes the calls that a subagent handed up wait as the turn's own. What
// does not fit into one question any more is left, and the model is told.
func (t *turn) takeUp(c llm.ToolCall, list []Waiting) {
	room := maxAskAll
	for _, w := range t.tools.waits {
		room -= asksFor(w.Say)
	}
	for i, w := range list {
		w.Call.CallID, w.Call.Row = fmt.Sprintf("%s/%d", c.ID, i+1), t.m.Row
		state, class := tools.Pending, tools.NeedsYes
		if n := asksFor(w.Say); n > room {
			state, class = tools.Failed, tools.NotAllowed
		} else {
			room -= n
			t.tools.waits = append(t.tools.waits, w)
		}
		t.report.calls = append(t.report.calls, memory.CallRecord{
			CallID: w.Call.CallID, Name: text.Clip(w.Call.Tool, 64), Arguments: w.Call.Args, Status: string(state), Class: string(class),
		})
	}
}

func unasked(o tools.Outcome, why string) tools.Outcome {
	o.State, o.Class, o.Result.Content = tools.Failed, tools.NotAllowed, why
	return o
}

// question returns what the person is asked about a call: the tool's own words and
// values, in which nothing is changed any more. Only a guard's reason may repeat an
// address that a model made up.
func (t *turn) question(c llm.ToolCall, o tools.Outcome) string {
	say := o.Question
	if say == "" {
		say = t.in.p.Say("Do this: %s?", strings.ReplaceAll(c.Name, "_", " ")) + "\n" + tools.Listed(o.Args)
	}
	return strings.TrimSpace(t.defanged(o.Because) + "\n" + strings.TrimSpace(say))
}

// park ends the turn with a question about the calls that wait for a yes; over
// is false where none does.
func (t *turn) park(ctx context.Context, calls []llm.ToolCall, outcomes []tools.Outcome) (answer chat.Answer, over bool) {
	asked := t.inquired(calls, outcomes)
	for i, o := range outcomes {
		if o.Class != tools.NeedsYes || t.sub != nil {
			continue
		}
		spec, _ := t.tools.set.Lookup(calls[i].Name)
		asked = append(asked, Asked{Say: t.question(calls[i], o), Spec: spec, Call: t.pending(calls[i], o), Once: len(o.Far) > 0})
	}
	if t.sub == nil && firstInquiry(outcomes) < 0 { // one question at a time
		for _, w := range t.tools.waits {
			spec, _ := t.tools.set.Lookup(w.Call.Tool)
			asked = append(asked, Asked{Say: w.Say, Spec: spec, Call: w.Call, Once: w.Once})
		}
		t.tools.waits = nil
	}
	if len(asked) == 0 {
		return chat.Answer{}, false
	}
	parked := Parked{
		Agent: t.m.Agent.ID,
		Said:  t.in.text, Outside: !t.keep, Via: t.via(), Taint: t.trust.taint, Origin: t.trust.origin, Offer: t.tools.offer,
		Sources: t.sources.cited,
		Rules:   t.context.guidance.Instructions, Demands: t.context.guidance.Demands,
	}
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
	asks := t.finish(q.Answer.Text, q.why(asked))
	rec := asks.Record.(*memory.Turn)
	rec.Asks = q.Asks
	q.Answer.Record, q.Answer.Files = rec, asks.Files
	return q.Answer, true
}

// Propose puts a tool call to the person as a question, as a model's call of the
// same arguments would: for commands that need a yes.
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
	o := a.o.Runner.Run(tools.WithPerson(ctx, tools.Person{Guard: t.tools.guards.Rule}), t.tools.set, t.call(c))
	outcomes := t.askable([]llm.ToolCall{c}, []tools.Outcome{o})
	t.absorb(c, outcomes[0])
	if answer, over := t.park(ctx, []llm.ToolCall{c}, outcomes); over {
		return answer, nil
	}
	return t.finish(cmp.Or(strings.TrimSpace(outcomes[0].Result.Content), t.in.p.Text(wordsNothingDone)), ran(outcomes[0], chat.Answered)), nil
}

// ran returns how a message ended that was one call: well, or as the call did.
func ran(o tools.Outcome, well chat.Outcome) chat.End {
	switch o.Class {
	case "":
		return chat.End{Outcome: well}
	case tools.NotAllowed, tools.Guarded:
		return chat.End{Outcome: chat.Refused, Reason: chat.NoPermission}
	}
	return chat.End{Outcome: chat.Failed, Reason: chat.ToolFailed}
}
