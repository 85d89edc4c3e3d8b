package main

import (
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/llm/llmtest"
)

// onDiscord adds Discord to what the bot serves.
func (w *world) onDiscord() *world {
	w.env = append(w.env, "BOT_DISCORD_TOKEN="+discordtest.Token, "BOT_DISCORD_API_URL="+w.dc.URL())
	return w
}

func (w *world) discordSent(t *testing.T, n int) []discordtest.Message {
	t.Helper()
	if !w.dc.Wait(15*time.Second, func() bool { return len(w.dc.Sent()) >= n }) {
		t.Fatalf("%d of %d messages were sent", len(w.dc.Sent()), n)
	}
	return w.dc.Sent()
}

func TestDiscordConversation(t *testing.T) {
	w := newWorld(t).onDiscord()
	w.run(t)
	w.dc.Wait(5*time.Second, func() bool { return w.dc.Connected() > 0 })
	w.llm.Queue(llmtest.Turn{Text: "Hello!"}, llmtest.Turn{Text: strings.Repeat("```go\ncode line\n```\n", 150)})
	w.dc.Message("", "10", "42", "hi")
	if got := w.discordSent(t, 1)[0]; got.Content != "Hello!" || got.ReplyTo == "" {
		t.Errorf("got %+v", got)
	}
	w.dc.Message("77", "50", "42", "not for the bot")
	w.dc.Message("77", "50", "42", "<@9000> a long one please")
	for _, m := range w.discordSent(t, 3)[1:] {
		if len(m.Content) > 2000 || strings.Count(m.Content, "```")%2 != 0 {
			t.Errorf("a part of %d characters with %d fences", len(m.Content), strings.Count(m.Content, "```"))
		}
	}
	if n := len(w.llm.Requests()); n != 2 {
		t.Errorf("%d model calls: chatter was sent to the model", n)
	}
	id := w.dc.Interaction("77", "50", "42", "help", 0)
	if !w.dc.Wait(5*time.Second, func() bool { _, ok := w.dc.Acknowledged(id); return ok }) {
		t.Error("the command was not acknowledged")
	}
	w.dc.Wait(5*time.Second, func() bool { s := w.dc.Sent(); return s[len(s)-1].Interaction != "" })
	if s := w.dc.Sent(); !strings.Contains(s[len(s)-1].Content, "/session") {
		t.Errorf("help is %q", s[len(s)-1].Content)
	}
}
