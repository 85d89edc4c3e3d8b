package agent

import (
	"context"
	"errors"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/tongue"
	"parley/internal/tools"
)

// handedOver ends the turn when a tool or a guard wants people to take over. Where
// there is nobody, a guard's refusal is all there is, and the turn goes on.
func (t *turn) handedOver(ctx context.Context) (answer chat.Answer, over bool) {
	if h := t.report.handOver; h != nil {
		answer, err := t.passOn(ctx, *h, "")
		if err != nil {
			answer = t.finish(t.report.withDone(t.in.p, t.in.p.Text(wordsNobodyThere)), chat.End{Outcome: chat.Failed, Reason: chat.ToolFailed})
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

// passOn ends the turn by passing the conversation on to people. said is what the
// person is told before; "" is nothing. After an error nothing has happened.
func (t *turn) passOn(ctx context.Context, h tools.HandOver, said string) (chat.Answer, error) {
	if t.a.o.HandOver == nil || t.sub != nil {
		return chat.Answer{}, errNobody
	}
	deed, told, err := t.a.o.HandOver(ctx, t.m, h, t.context.session.ID, t.report.calls)
	if err != nil {
		t.a.o.Log.Warn("not handed over", "by", h.By, "err", err)
		return chat.Answer{}, err
	}
	if said != "" {
		told = said + "\n\n" + told
	}
	t.context.guidance.Why = append(t.context.guidance.Why, tongue.Say(ctx, wordsWhyPassedOn, h.By))
	answer := t.finish(told, chat.End{Outcome: chat.PassedOn})
	if rec, ok := answer.Record.(*memory.Turn); ok {
		rec.Also = deed
	}
	return answer, nil
}
