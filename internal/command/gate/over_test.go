package gate_test

import (
	"context"
	"testing"

	"parley/internal/chat"
	"parley/internal/command/gate"
)

// TestSomebodyOverThemAgrees: where a question takes an administrator's yes, the one who was
// asked hears so, by button and in words, and the question waits on; their no counts.
func TestSomebodyOverThemAgrees(t *testing.T) {
	s := store(t, newClock())
	done := 0
	newOne := func() (h chat.Handler, ask func(string) chat.Answer) {
		c, err := gate.NewConfirmations(t.Context(), s.Questions, s.Access, newClock().now)
		must(t, err)
		c.Role = func(_ context.Context, m chat.Message) (gate.Role, error) {
			if m.From.ID == owner {
				return gate.Owner, nil
			}
			return gate.Member, nil
		}
		h = stored(s, c.Wrap(&agent{}, map[string]gate.Do{"pay": func(ctx context.Context, _ chat.Message, a gate.Settled,
			_ chat.Reply) (chat.Answer, error) {
			if a.Agreed[0] {
				done++
			}
			return chat.Answer{Text: "over"}, s.Questions.EndQuestion(ctx, a.ID, chat.QuestionSettled, "over")
		}}))
		return h, func(who string) chat.Answer {
			a, err := c.Ask(t.Context(), group(who, "pay"), "Pay?", gate.Action{Kind: "pay",
				Items: []gate.Item{{Say: "Pay?", Args: []byte("{}"), Also: gate.Admin, Over: true}}})
			must(t, err)
			return a
		}
	}
	_, ask := newOne()
	const refused = "Your yes is not enough for this. An administrator of this place or my owner has to agree, with the button. You can say no."
	a := ask("telegram:5")
	yes, no := a.Buttons[0][0].Data, a.Buttons[0][1].Data
	h, _ := newOne() // the next process
	for _, m := range []chat.Message{press("telegram:5", yes), named("telegram:5", "yes")} {
		if got, err := h.Handle(t.Context(), m, nil); err != nil || got.Text != refused || done != 0 {
			t.Errorf("%s: %q, %v, %d paid", m.Kind, got.Text, err, done)
		}
	}
	for range 2 {
		_, err := h.Handle(t.Context(), press(owner, yes), nil)
		must(t, err)
	}
	if done != 1 {
		t.Errorf("the owner's yes paid %d times", done)
	}
	if got, err := h.Handle(t.Context(), press("telegram:5", no), nil); err != nil || done != 1 {
		t.Errorf("a no afterwards: %q, %v", got.Text, err)
	}
	a = ask("telegram:5")
	if got, err := h.Handle(t.Context(), press("telegram:5", a.Buttons[0][1].Data), nil); err != nil || got.Text != "over" || done != 1 {
		t.Errorf("a no: %q, %v, %d paid", got.Text, err, done)
	}
}
