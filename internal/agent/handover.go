package agent

import (
	"context"
	"errors"
	"slices"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

const wordsPassedOn = "Not done: this needs the person's yes, and before they were asked they were passed on to a person."

// handedOver ends the turn when a tool or a guard wants people to take over. If there is
// nobody, the turn goes on after a guard's refusal.
func (t *turn) handedOver(ctx context.Context) (answer chat.Answer, over bool) {
	if h := t.report.handOver; h != nil {
		answer, err := t.passOn(ctx, *h, "")
		if err != nil {
			t.unasked(ctx)
			answer = t.finish(t.report.withDone(t.in.p, t.in.p.Text("I wanted to pass you on to a person, and that did not work. Please try again later.")), chat.End{Outcome: chat.Failed, Reason: chat.ToolFailed})
		}
		return answer, true
	}
	h, said := t.tools.guards.Left()
	if h == nil {
		return answer, false
	}
	answer, err := t.passOn(ctx, *h, said)
	return answer, err == nil
}

var errNobody = errors.New("nobody can be asked")

// passOn ends the turn by passing the conversation on to people. said is told to the person
// first; "" is nothing. After an error nothing has happened.
func (t *turn) passOn(ctx context.Context, h tools.HandOver, said string) (chat.Answer, error) {
	if t.a.o.HandOver == nil || t.sub != nil {
		return chat.Answer{}, errNobody
	}
	calls := slices.Clone(t.report.calls)
	for i := range calls {
		notRun(&calls[i])
	}
	deed, told, err := t.a.o.HandOver(ctx, t.m, h, t.context.session.ID, calls)
	if err != nil {
		t.a.o.Log.Warn("not handed over", "by", h.By, "err", err)
		return chat.Answer{}, err
	}
	t.unasked(ctx)
	if said != "" {
		told = said + "\n\n" + told
	}
	t.guide.Why = append(t.guide.Why, catalog.Say(ctx, "You were passed on to a person (by %s). What they write here is theirs.", h.By))
	answer := t.finish(told, chat.End{Outcome: chat.PassedOn})
	if rec, ok := answer.Record.(*memory.Turn); ok {
		rec.Also = deed
	}
	return answer, nil
}

// notRun records a call that waits for its person as not made.
func notRun(c *memory.CallRecord) {
	if c.Status == string(tools.Pending) {
		c.Status, c.Class, c.Result = string(tools.Failed), string(tools.NotRun), wordsPassedOn
	}
}

// unasked ends the calls of the newest batch that wait for the person, who is passed on
// before they could be asked: none stays open, and servers that ask are told that nobody
// answers.
func (t *turn) unasked(ctx context.Context) {
	for i, o := range t.tools.batch.outcomes {
		c := t.tools.batch.calls[i]
		switch o.Class {
		case tools.NeedsInput:
			t.amend(c, t.tools.unanswered(ctx, c, o))
		case tools.NeedsYes:
			o.State, o.Class, o.Result.Content = tools.Failed, tools.NotRun, wordsPassedOn
			t.amend(c, o)
		}
	}
	for i := range t.report.calls { // of subagents
		notRun(&t.report.calls[i])
	}
	t.tools.batch, t.asks.waits = batch{}, nil
}

// amend replaces the recorded outcome of a call.
func (t *turn) amend(c llm.ToolCall, o tools.Outcome) {
	for i := range t.context.added {
		if e := &t.context.added[i]; e.Role == llm.RoleTool && e.ToolCallID == c.ID {
			*e = told(*e, o)
		}
	}
	for i := range t.report.calls {
		if r := &t.report.calls[i]; r.CallID == c.ID {
			r.Status, r.Class, r.Result = string(o.State), string(o.Class), o.Result.Told()
		}
	}
	was, ok := t.tools.agreed[c.ID]
	if !ok {
		return
	}
	end := memory.Ended{Inbox: was.Row, CallID: was.CallID, Status: string(o.State), Class: string(o.Class), Result: o.Result.Told()}
	calls := slices.DeleteFunc(t.report.settles.Calls, func(e memory.Ended) bool { return e.Inbox == was.Row && e.CallID == was.CallID })
	t.report.settles.Calls = append(calls, end)
}
