package agent

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"parley/internal/text/catalog"
	"slices"
	"strings"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/tools"
)

// Resumed is a parked turn with the person's answer to its question.
type Resumed struct {
	Question string // its id
	Parked   Parked
	Calls    []Pending
	Agreed   []bool // by call
	// Allowed are the tool servers that need no further yes until the task is done.
	Allowed []string
	// Reply is what the person has said to a server's question; nil where they
	// were asked for a yes.
	Reply *tools.Reply
}

// Resume continues a parked turn: it runs the calls that were agreed to, and the model gets
// the result of every call and finishes its plan. m is the person's answer. Like any turn it
// may be repeated after a crash: nothing runs twice.
func (a *Agent) Resume(ctx context.Context, m chat.Message, w chat.Reply, r Resumed) (chat.Answer, error) {
	t := a.newTurn(m, input{p: catalog.Of(ctx), chosen: catalog.IsChosen(ctx), text: r.Parked.Said}, !r.Parked.Outside)
	t.w = w
	t.journal = journal{log: a.o.Log, store: a.o.Store, row: m.Row}
	t.report.ledger.maxAttempts = attemptsPerCall * (a.o.MaxCalls + 1)
	t.report.settles = &memory.Settled{Question: r.Question}
	if err := t.load(ctx); err != nil {
		return chat.Answer{}, fmt.Errorf("load conversation: %w", err)
	}
	t.unpark(r.Parked)
	for _, c := range r.Calls {
		t.asks.wish = append(t.asks.wish, c.Row)
	}
	t.tools.allow(r.Allowed)
	t.context.added = []memory.Entry{t.context.answered(r)}
	calls, outcomes, done := t.carryOut(ctx, r)
	if !done {
		return t.failed(ctx, context.Cause(ctx))
	}
	t.tools.batch = batch{calls, outcomes}
	a.o.Failpoint("after_yes")
	if answer, over := t.handedOver(ctx); over {
		return answer, nil
	}
	if answer, over := t.park(ctx, calls, outcomes); over { // what a server or a subagent asks
		return answer, nil
	}
	if answer, over := t.follow(ctx); over {
		return answer, nil
	}
	return t.loop(ctx)
}

// unpark restores what was stored with the question.
func (t *turn) unpark(p Parked) {
	t.trust.taint = t.trust.taint.And(p.Taint)
	t.trust.origin = t.trust.origin.And(p.Origin)
	t.in.quoted |= p.Via
	t.tools.offer = append(t.tools.offer, p.Offer...)
	t.sources.cited, t.sources.given = p.Sources, min(t.sources.given, len(p.Sources))
	t.guide.Instructions, t.guide.Demands = p.Rules, p.Demands
	t.asks.wish = p.Wish
	t.tools.allowed = p.Allowed
}

// allow takes the person's word for tool servers until the task is done: this turn, and those
// that continue it when it is parked.
func (r *toolrun) allow(servers []string) {
	for _, s := range servers {
		if !slices.Contains(r.allowed, s) {
			r.allowed = append(slices.Clip(r.allowed), s)
		}
	}
}

// answered returns the person's answer as the transcript keeps it.
func (b *background) answered(r Resumed) memory.Entry {
	said := strings.TrimSpace(text.Plain(b.m.Text))
	if b.m.Kind != chat.KindText {
		said = pressedWords(r.Agreed)
	}
	if r.Reply != nil { // it is for the server
		said = "(I have answered what the tool server asked me.)"
	}
	if !b.keep { // the model sees nothing else of it
		said = r.Parked.Said
	}
	e := b.entry(llm.Message{Role: llm.RoleUser, Content: said})
	e.Origin = provenance.Origin{Via: provenance.ViaTyped}
	return e
}

func pressedWords(agreed []bool) string {
	var list []string
	for i, yes := range agreed {
		if yes {
			list = append(list, fmt.Sprint(i+1))
		}
	}
	switch len(list) {
	case 0:
		return "No"
	case len(agreed):
		return "Yes"
	}
	return fmt.Sprintf("Only %s", strings.Join(list, ", "))
}

// carryOut repeats the calls as the model's own: it runs those that were agreed to, and says
// that the others were not. done is false if the turn was cancelled meanwhile.
func (t *turn) carryOut(ctx context.Context, r Resumed) (calls []llm.ToolCall, outcomes []tools.Outcome, done bool) {
	calls = make([]llm.ToolCall, len(r.Calls))
	t.tools.agreed = map[string]Pending{}
	if r.Reply != nil {
		t.tools.reply = *r.Reply
	}
	for i, p := range r.Calls {
		calls[i] = llm.ToolCall{ID: callID(r.Question, i), Name: p.Tool, Args: p.Args}
		if r.Agreed[i] {
			t.tools.agreed[calls[i].ID] = p
		}
	}
	t.context.added = append(t.context.added, t.context.entry(llm.Message{Role: llm.RoleAssistant, ToolCalls: calls}))
	var came []string
	var handed []memory.CallRecord // of subagents
	t.report.well = chat.End{Outcome: chat.Declined}
	for i, c := range calls {
		o := tools.Outcome{State: tools.Declined, Class: tools.Refused, Result: tools.Result{Content: "The person said no, so this was not done. Do not try it again; go on with what else they asked for."}}
		began := t.a.o.Now()
		if !r.Agreed[i] {
			t.guide.Why = append(t.guide.Why, t.in.p.Say("“%s” was not done: the answer was no", strings.ReplaceAll(toolName(c), "_", " ")))
		}
		if r.Agreed[i] {
			if o = t.tools.runCall(ctx, c, true); (o.Class == tools.Cancelled || o.Class == tools.Unsure) &&
				errors.Is(context.Cause(ctx), chat.ErrDraining) {
				return nil, nil, false
			}
			if o.Class == tools.NeedsInput && firstInquiry(outcomes) >= 0 {
				o = t.tools.unanswered(ctx, c, o)
			}
			if t.report.well.Outcome != chat.Confirmed {
				t.report.well = ran(o, r.well())
			}
			line := insight(o.Result.Told())
			if o.State == tools.Unknown {
				line = t.in.p.Say(wordsMayBeDone, strings.ReplaceAll(toolName(c), "_", " "))
			}
			came = append(came, strings.TrimSuffix(line, "."))
		}
		t.report.calls = nil
		outcomes = append(outcomes, o)
		t.heardOf(c, o, began)
		end := t.report.calls[0]
		handed = append(handed, t.report.calls[1:]...)
		if o.Class == tools.NeedsInput {
			continue // its row waits on
		}
		t.report.settles.Calls = append(t.report.settles.Calls, memory.Ended{
			Inbox: r.Calls[i].Row, CallID: r.Calls[i].CallID, Status: end.Status, Class: end.Class, Result: end.Result, Took: end.Took,
		})
	}
	t.report.calls = handed // the others have rows already, which end with the turn
	t.report.settles.Came = cmp.Or(insight(strings.Join(came, "; ")), t.in.p.Text(wordsNothingDone))
	t.journal.settle(ctx)
	return calls, outcomes, true
}

// well returns how the answer's message ends if everything works.
func (r Resumed) well() chat.Outcome {
	if r.Reply != nil && r.Reply.Action != tools.Accept {
		return chat.Declined
	}
	return chat.Confirmed
}

// callID names a repeated call: letters and digits, no more than the strictest server
// accepts, and the same after a crash.
func callID(question string, i int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", question, i))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:9]
}
