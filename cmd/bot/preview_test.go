package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
	"parley/internal/text/waittest"
)

// TestKilledInAPreview: a process is killed while people watch an answer grow. The next one
// makes what stands there its answer, and nothing else stands beside it.
func TestKilledInAPreview(t *testing.T) {
	t.Parallel()
	for platform, tt := range map[string]struct {
		ask   func(w *world)
		grows func(w *world) bool // the preview was changed, so its id is noted
		seen  func(w *world) []string
	}{
		"telegram": {ask: func(w *world) { w.tg.Push(telegramtest.Text(-100, 5, "@parley_bot tell me")) },
			grows: func(w *world) bool { return len(w.tg.Calls("editMessageText")) > 1 },
			seen: func(w *world) (texts []string) {
				for _, m := range w.in(-100) {
					if !m.Deleted {
						texts = append(texts, m.Text)
					}
				}
				return texts
			}},
		"discord": {ask: func(w *world) { w.dc.Message("77", "50", "42", "<@"+discordtest.App+"> tell me") },
			grows: func(w *world) bool { return len(w.dc.Calls("PATCH", "/channels/50/messages/")) > 1 },
			seen: func(w *world) (texts []string) {
				for _, m := range w.dc.Sent() {
					texts = append(texts, m.Content)
				}
				return texts
			}},
	} {
		t.Run(platform, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.tg.AddChat(-100)
			if platform == "discord" {
				w.onDiscord()
			}
			w.llm.Queue(llmtest.Turn{Text: strings.Repeat("growing ", 400), Chunks: 400, ChunkWait: 300 * time.Millisecond},
				llmtest.Turn{Text: "The answer."})
			child := w.start(t)
			if platform == "discord" {
				w.connected(t)
			}
			tt.ask(w)
			eventually(t, "it grows", func() bool { return tt.grows(w) })
			kill(child)
			w.start(t)
			if !waittest.Within(patience, func() bool { return slices.Equal(tt.seen(w), []string{"The answer."}) }) {
				t.Errorf("people see %q", tt.seen(w))
			}
			w.settled(t)
			if got := tt.seen(w); !slices.Equal(got, []string{"The answer."}) {
				t.Errorf("in the end people see %q", got)
			}
		})
	}
}
