package main

import (
	"context"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/adapters/discord/discordtest"
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

// TestStrangersCannotPayAloneOnDiscord: the same on Discord, where a member of a server presses
// the button; /why tells them why their own yes was not enough.
func TestStrangersCannotPayAloneOnDiscord(t *testing.T) {
	t.Parallel()
	paid := make(chan string, 9)
	server := newToolServer(t)
	server.add("pay", "pays", func(_ context.Context, r *sdk.CallToolRequest) (string, error) {
		paid <- string(r.Params.Arguments)
		return "paid", nil
	})
	w := newWorld(t, "BOT_ACCESS_OWNERS=telegram:1,discord:1").onDiscord()
	w.uses(t, "bank", server.url, "tools:\n  policy:\n    - {name: bank__other, who: everyone}\n")
	w.pays(func() string { return `{"amount":5}` })
	w.dc.Guild("77", "43", nil)
	child := w.start(t)
	w.connected(t)
	w.shows(t, "/tools servers", "bank: up")
	w.dc.Message("77", "50", "42", "<@"+discordtest.App+"> pay")
	asked := w.posted(t, "50", "has to agree, with the button")
	w.dc.Interaction(discordtest.Use{Guild: "77", Channel: "50", User: "42", Command: "why"})
	eventually(t, "/why says it", func() bool {
		for _, m := range w.dc.Sent() {
			if strings.Contains(m.Content, "Your own yes was not enough: nobody has let you in") {
				return true
			}
		}
		return false
	})
	w.settled(t)
	kill(child)
	w.start(t)
	w.connected(t)
	yes := asked.Buttons[0]
	w.dc.Press("77", "50", "42", asked.ID, yes)
	w.settled(t)
	w.dc.Message("77", "50", "42", "<@"+discordtest.App+"> yes")
	w.posted(t, "50", "Your yes is not enough")
	if len(paid) != 0 {
		t.Fatalf("a stranger paid alone: %s", <-paid)
	}
	for range 2 {
		w.dc.Press("77", "50", "1", asked.ID, yes)
		w.settled(t)
	}
	w.posted(t, "50", "It came to:")
	if n := len(paid); n != 1 || !strings.Contains(<-paid, "5") {
		t.Errorf("the owner's yes paid %d times", n)
	}
}
