package gate

import (
	"context"
	"fmt"
	"slices"

	"parley/internal/chat"
	"parley/internal/text/catalog"
)

// reminds reports whether a waiting question is repeated below the answer to m: unless the
// answer asks something itself, or passes its reader on to people.
func (c *Confirmations) reminds(q chat.Question, m chat.Message, a chat.Answer) bool {
	asks := slices.ContainsFunc(slices.Concat(a.Buttons...), func(b chat.Button) bool { _, ok := pressed(b.Data); return ok })
	return a.Text != "" && !a.Private && !asks && !q.Restored && q.Text != "" && c.now().Before(q.Until) &&
		chat.Ending(m, true, a.Record).Outcome != chat.PassedOn
}

// reminded returns an answer with the waiting question below it, which a yes in words may
// then answer. A question was asked in one language: whoever speaks another one by now, after
// /language say, is reminded of it and does not read it in the old one again.
func (c *Confirmations) reminded(ctx context.Context, m chat.Message, q chat.Question, a chat.Answer) (chat.Answer, error) {
	if c.Speak != nil {
		ctx = c.Speak(ctx, m.From) // the handler may have changed it
	}
	b, now := bodyOf(q), catalog.Of(ctx).Tag()
	still := catalog.Text(ctx, "_I am still waiting for your yes or no:_") + "\n" + q.Text
	switch {
	case b.Form != nil: // in the words of who asks
		still = catalog.Text(ctx, "_I am still waiting for your answer:_") + "\n" + q.Text
	case b.Tongue != "" && b.Tongue != now:
		still = catalog.Text(ctx, "_I am still waiting for your yes or no to my question above._")
	}
	a.Text += "\n\n" + still
	if err := c.rows.AskedAgain(ctx, q.ID, m.Row); err != nil {
		return chat.Answer{}, fmt.Errorf("confirm: %w", err)
	}
	return a, nil
}

// Open returns the question that waits for m's author in m's place, with its buttons; no
// buttons if none does.
func (c *Confirmations) Open(ctx context.Context, m chat.Message) (asked string, rows [][]chat.Button, err error) {
	q, ok, err := c.rows.Question(ctx, m, "")
	if err != nil || !ok || q.State != chat.QuestionOpen || !c.now().Before(q.Until) {
		return "", nil, err
	}
	b := bodyOf(q)
	if b.Form != nil {
		return q.Text, c.formButtons(ctx, q, *b.Form), nil
	}
	return q.Text, c.buttons(ctx, q, b), nil
}
