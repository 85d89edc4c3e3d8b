package agent

import (
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

// ExpireInquiries tells servers whose question has waited for life that nobody answers.
func (a *Agent) ExpireInquiries(life time.Duration) { a.inquiries.Expire(life) }

// firstInquiry returns the index of the first outcome that is a server's question; -1 for
// none.
func firstInquiry(outcomes []tools.Outcome) int {
	for i, o := range outcomes {
		if o.Class == tools.NeedsInput {
			return i
		}
	}
	return -1
}

// inquired returns the question of a server among outcomes, for the person.
func (qs *questions) inquired(calls []llm.ToolCall, outcomes []tools.Outcome) []Asked {
	i := firstInquiry(outcomes)
	if i < 0 {
		return nil
	}
	asks, ok := outcomes[i].Result.Data.(tools.Inquiry)
	if !ok {
		return nil
	}
	q := elicit.New(asks)
	say, form := q.Ask(qs.in.p, qs.m.Direct)
	spec, _ := qs.tools.set.Lookup(calls[i].Name)
	c := qs.tools.call(calls[i])
	p := Pending{Tool: calls[i].Name, Args: string(outcomes[i].Args), Key: c.Key, CallID: calls[i].ID, Row: qs.m.Row,
		Origin: c.Origin, Inquiry: qs.a.inquiries.Add(q)}
	if was, ok := qs.tools.agreed[calls[i].ID]; ok {
		p.CallID, p.Row = was.CallID, was.Row
	}
	return []Asked{{Say: say, Spec: spec, Call: p, Form: form}}
}
