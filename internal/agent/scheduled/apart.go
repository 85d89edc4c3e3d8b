package scheduled

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"parley/internal/chat"
	"parley/internal/memory/agenda"
	"parley/internal/text/catalog"
)

// Apart hands scheduled questions straight to the agent: they are no command, answer no
// question, and are for nobody else. One that gets no answer is said as a reminder instead,
// with what went wrong: whoever scheduled it learns of it in any case. While a recurring one
// gets none again and again, only the first time is said.
func Apart(rows *agenda.Agenda, log *slog.Logger, agent, next chat.Handler) chat.Handler {
	pass := chat.FuncOf(next)
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		if !m.Unasked {
			return pass(ctx, m, w)
		}
		return asker{rows, log, agent}.ask(ctx, m, w)
	})
}

// asker has the agent answer scheduled questions.
type asker struct {
	rows  *agenda.Agenda
	log   *slog.Logger
	agent chat.Handler
}

func (k asker) ask(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
	a, err := k.agent.Handle(ctx, m, w)
	if err != nil {
		if ctx.Err() != nil {
			return a, err
		}
		id := chat.ErrorID()
		k.log.Error("a scheduled question failed", "id", id, "conversation", m.Key.String(), "err", err)
		a = chat.Answer{Record: chat.End{Outcome: chat.Failed, Reason: chat.Fault, ErrorID: id, Fault: err.Error()}}
	}
	if answered(m, a) {
		return a, nil
	}
	id := agenda.AskedBy(m.ID)
	if again, err := k.rows.Unanswered(ctx, id); err != nil || again {
		return chat.Answer{Record: a.Record}, err
	}
	asked, err := k.rows.Asked(ctx, id)
	if errors.Is(err, agenda.ErrNoReminder) { // whoever asked it was forgotten
		return chat.Answer{Record: a.Record}, nil
	}
	if err != nil {
		return chat.Answer{Record: a.Record}, err
	}
	key, why := asked.RowKey(), a.Text
	if why == "" {
		why = catalog.Text(ctx, "I could not answer this.")
	}
	return chat.Answer{Text: catalog.Say(ctx, "⏰ %s", m.Text) + "\n" + why, Record: a.Record, Buttons: [][]chat.Button{{
		{Label: catalog.Text(ctx, "In 10 min"), Data: fmt.Sprintf("/remind snooze =%d 10m", key)},
		{Label: catalog.Text(ctx, "In 1 h"), Data: fmt.Sprintf("/remind snooze =%d 1h", key)},
		{Label: catalog.Text(ctx, "Done"), Data: fmt.Sprintf("/remind done =%d", key)},
	}}}, nil
}

// answered reports whether a question got an answer, if only that the model will not give
// one.
func answered(m chat.Message, a chat.Answer) bool {
	switch end := chat.Ending(m, a.Text != "", a.Record); end.Outcome {
	case chat.Failed:
		return false
	case chat.Refused:
		return end.Reason != chat.Spent && a.Text != ""
	}
	return true
}
