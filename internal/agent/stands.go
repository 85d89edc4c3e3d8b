package agent

import (
	"context"
	"slices"
	"time"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/playbook"
)

// Hanging is calls that wait for a yes, and what they hang on.
type Hanging struct {
	Session string // in which they were made; "" for none
	Calls   []Pending
	// After is the record of the answer that m has got, which is not stored yet; nil for none.
	After any
}

// Stands reports why calls that m's author was asked about are not to be made any more,
// although they are agreed to: the session of the question is over, or the journey that a
// call was made in is not where it was. "" is that they stand.
func (a *Agent) Stands(ctx context.Context, m chat.Message, h Hanging) (chat.Lapse, error) {
	if h.Session == "" {
		return "", nil
	}
	se, ok, err := a.o.Store.Sessions.LiveSession(ctx, a.place(m))
	if err != nil {
		return "", err
	}
	if turn, is := h.After.(*memory.Turn); is && turn != nil && turn.Session != nil {
		se, ok = *turn.Session, true
	}
	if !ok || se.ID != h.Session || !a.o.Now().Before(se.Expires) {
		return chat.LapsedSession, nil
	}
	book := a.o.Book()
	for _, c := range h.Calls {
		if c.Journey == "" {
			continue
		}
		if book == nil {
			return chat.LapsedJourney, nil
		}
		under, err := book.UnderWay(playbook.State{User: m.From.ID, Session: raw(se.Playbook)}, c.Journey, c.Step)
		if err != nil || !under {
			return chat.LapsedJourney, err
		}
	}
	return "", nil
}

// recentLapse is how long the model is told of a call that lapsed.
const recentLapse = time.Hour

// owed is what the model has to know about questions to the author of a message.
type owed struct {
	waits  string          // what they were asked and have not answered, "" for nothing
	lapsed []memory.Lapsed // what will not be done, whatever they say
}

// questioned reads it.
func (t *turn) questioned(ctx context.Context) (o owed, err error) {
	if t.sub != nil || t.m.Overhears() {
		return o, nil
	}
	if o.lapsed, err = t.a.o.Store.Questions.Lapsed(ctx, t.m, t.a.o.Now().Add(-recentLapse)); err != nil || t.report.settles != nil {
		return o, err
	}
	q, ok, err := t.a.o.Store.Questions.Question(ctx, t.m, "")
	if err != nil || !ok || q.State != chat.QuestionOpen || !t.a.o.Now().Before(q.Until) || slices.Contains(q.Behind, t.m.Row) ||
		q.Row == t.m.Row {
		return o, err
	}
	o.waits = q.Text
	return o, nil
}

// lapseOf says why a call was not made, for the model.
func lapseOf(l chat.Lapse) string {
	return map[chat.Lapse]string{
		chat.LapsedEdited: "the message that asked for it was edited", chat.LapsedDeleted: "the message that asked for it was deleted",
		chat.LapsedSession: "the conversation it belonged to ended", chat.LapsedJourney: "its journey was left or moved on",
		chat.LapsedAgent: "another assistant had asked", chat.LapsedRights: "they may not have it done any more",
		chat.LapsedTool: "the tool was not available", chat.LapsedQuota: "their allowance for the day was used up",
		chat.LapsedFault: "something broke before they could be asked",
	}[l]
}
