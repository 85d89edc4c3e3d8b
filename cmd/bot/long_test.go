package main

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// TestLongAnswers: 1,250 quoted lines are one message and a file with all of
// them, on Telegram and on Discord.
func TestLongAnswers(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 1250 {
		fmt.Fprintf(&b, "> Line %d of a long quotation that somebody asked for.\n", i)
	}
	whole := strings.TrimSpace(b.String())
	const room = "BOT_MODEL_MAX_TOKENS=20000" // of a model that may say so much
	t.Run("telegram", func(t *testing.T) {
		w := newWorld(t, room)
		w.run(t)
		w.llm.Queue(llmtest.Turn{Text: whole})
		w.tg.Push(telegramtest.Text(7, 7, "quote it"))
		w.sent(t, 2)
		got := w.tg.Sent()
		if f := got[1].File; len(got) != 2 || f == nil || f.Name != "answer.md" || string(f.Data) != whole || len(got[0].Text) < 3000 {
			t.Errorf("sent %d messages, the first of %d bytes", len(got), len(got[0].Text))
		}
	})
	t.Run("discord", func(t *testing.T) {
		w := newWorld(t, room).onDiscord()
		w.run(t)
		w.llm.Queue(llmtest.Turn{Text: whole})
		w.connected(t)
		w.dc.Message("", "10", "42", "quote it")
		got := w.discordSent(t, 2)
		if f := got[1].Files; len(got) != 2 || len(f) != 1 || string(f["answer.md"]) != whole || len(got[0].Content) < 1500 {
			t.Errorf("sent %d messages, the first of %d bytes: %v", len(got), len(got[0].Content), len(f))
		}
	})
}
