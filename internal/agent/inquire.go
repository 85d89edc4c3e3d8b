package agent

import (
	"context"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/text/catalog"
	"parley/internal/tools"
	"parley/internal/tools/elicit"
)

// Fill takes what a person has said to a question of a tool server; see
// elicit.Open.
func (a *Agent) Fill(p catalog.Printer, c Pending, m chat.Message, said chat.Said) (say string, form *chat.Form, reply tools.Reply) {
	return a.inquiries.Fill(p, c.Inquiry, m.Direct, said)
}

// ExpireInquiries tells the servers whose question waits for so long that nobody answers.
func (a *Agent) ExpireInquiries(life time.Duration) { a.inquiries.Expire(life) }

// firstInquiry is the place of the first outcome that is a server's question; -1
// for none.
func firstInquiry(outcomes []tools.Outcome) int {
	for i, o := range outcomes {
		if o.Class == tools.NeedsInput {
			return i
		}
	}
	return -1
}

// oneInquiry leaves the first question of servers in a batch: a person is asked
// one thing at a time, and the others hear that nobody answers.
func (t *turn) oneInquiry(ctx context.Context, calls []llm.ToolCall, outcomes []tools.Outcome) {
	first := firstInquiry(outcomes)
	for i, o := range outcomes {
		if o.Class == tools.NeedsInput && i != first {
			outcomes[i] = t.unanswered(ctx, calls[i], o)
		}
	}
}

// unanswered goes on with a call as if its person had not answered.
func (t *turn) unanswered(ctx context.Context, c llm.ToolCall, o tools.Outcome) tools.Outcome {
	call := t.call(c)
	call.Confirmed = true
	for range 3 { // a server may ask again
		q, ok := o.Result.Data.(tools.Inquiry)
		if !ok || o.Class != tools.NeedsInput {
			t.witnessed(c, o)
			return o
		}
		o = t.a.o.Runner.Run(ctx, tools.NewSet(q.Go(tools.Reply{Action: tools.Cancel})), call)
	}
	return unasked(o, wordsTooManyToAsk)
}

// inquired is the question of a server among outcomes, to be put to the person.
func (t *turn) inquired(calls []llm.ToolCall, outcomes []tools.Outcome) []Asked {
	i := firstInquiry(outcomes)
	if i < 0 {
		return nil
	}
	asks, ok := outcomes[i].Result.Data.(tools.Inquiry)
	if !ok {
		return nil
	}
	q := elicit.New(asks)
	say, form := q.Ask(t.in.p, t.m.Direct)
	spec, _ := t.tools.set.Lookup(calls[i].Name)
	c := t.call(calls[i])
	p := Pending{Tool: calls[i].Name, Args: string(outcomes[i].Args), Key: c.Key, CallID: calls[i].ID, Row: t.m.Row,
		Origin: c.Origin, Inquiry: t.a.inquiries.Add(q)}
	if was, ok := t.tools.agreed[calls[i].ID]; ok {
		p.CallID, p.Row = was.CallID, was.Row
	}
	return []Asked{{Say: say, Spec: spec, Call: p, Form: form}}
}
