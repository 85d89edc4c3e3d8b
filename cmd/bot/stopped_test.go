package main

import (
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// TestStopKeepsWhatWasRead: the part of an answer that was said stays, and
// /stop as an interaction gets its word.
func TestStopKeepsWhatWasRead(t *testing.T) {
	t.Parallel()
	half := llmtest.Turn{Text: "Once upon a time there was a man", Chunks: 2, ChunkWait: time.Minute}
	const want = "Once upon a time\n\n(stopped)"
	t.Run("telegram", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.run(t)
		w.llm.Queue(half)
		w.tg.Push(telegramtest.Text(7, 7, "tell me a story"))
		eventually(t, "it begins to tell", func() bool {
			for _, d := range w.tg.Drafts() {
				if strings.HasPrefix(d.Text, "Once") {
					return true
				}
			}
			return false
		})
		if got := w.saying(t, 7, 7, "/stop"); got != want {
			t.Errorf("got %q", got)
		}
	})
	t.Run("discord", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t).onDiscord()
		w.serve(t)
		w.llm.Queue(half)
		w.dc.Message("", "10", "42", "tell me a story")
		says := func(text string) func() bool {
			return func() bool {
				for _, m := range w.dc.Sent() {
					if strings.TrimSpace(m.Content) == text {
						return true
					}
				}
				return false
			}
		}
		eventually(t, "it begins to tell", says("Once upon a time"))
		w.dc.Interaction(discordtest.Use{Channel: "10", User: "42", Command: "stop"})
		eventually(t, "the part stays", says(want))
		eventually(t, "the interaction is answered", says("Stopped."))
	})
}
