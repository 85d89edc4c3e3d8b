package main

import (
	"context"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/adapters/telegram/telegramtest"
)

// TestStrangersCannotPayAlone: where the bot is open to all, whom nobody let in cannot agree
// alone to what a server's tool changes: not by button, not in words, not after a kill. The
// owner's yes in the same place does it once.
func TestStrangersCannotPayAlone(t *testing.T) {
	t.Parallel()
	paid := make(chan string, 9)
	server := newToolServer(t)
	server.add("pay", "pays", func(_ context.Context, r *sdk.CallToolRequest) (string, error) {
		paid <- string(r.Params.Arguments)
		return "paid", nil
	})
	w := newWorld(t)
	w.uses(t, "bank", server.url, "tools:\n  policy:\n    - {name: bank__other, who: everyone}\n")
	w.pays(func() string { return `{"amount":5}` })
	child := w.start(t)
	w.shows(t, "/tools servers", "bank: up")
	w.tg.Push(telegramtest.Text(-100, 7, "@parley_bot pay"))
	w.told(t, -100, "has to agree, with the button")
	kill(child)
	w.start(t)
	sent := w.tg.Sent()
	last := telegramtest.SentMessage{}
	for _, m := range sent {
		if m.Chat == -100 && len(m.Buttons) > 0 {
			last = m
		}
	}
	w.tg.Push(telegramtest.Press(-100, 7, last.ID, "p1", last.Buttons[0][0].Data))
	w.settled(t)
	w.tg.Push(telegramtest.Text(-100, 7, "@parley_bot yes"))
	w.told(t, -100, "Your yes is not enough")
	if len(paid) != 0 {
		t.Fatalf("a stranger paid alone: %s", <-paid)
	}
	for _, press := range []string{"p2", "p3"} {
		w.tg.Push(telegramtest.Press(-100, 1, last.ID, press, last.Buttons[0][0].Data))
		w.settled(t)
	}
	w.told(t, -100, "It came to:")
	if n := len(paid); n != 1 || !strings.Contains(<-paid, "5") {
		t.Errorf("the owner's yes paid %d times", n)
	}
}
