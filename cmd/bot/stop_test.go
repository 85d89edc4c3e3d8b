package main

import (
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// TestStopPassesTheGate: on each front end an answer in the making is stopped by
// whoever asked, by an administrator and by the owner, and by nobody else.
func TestStopPassesTheGate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		stop func(w *world)
		want bool
	}{
		{"telegram stranger", func(w *world) { w.tg.Push(telegramtest.Text(-100, 66, "/stop")) }, false},
		{"telegram member", func(w *world) { w.tg.Push(telegramtest.Text(-100, 8, "/stop")) }, false},
		{"telegram who asked", func(w *world) { w.tg.Push(telegramtest.Text(-100, 7, "/stop")) }, true},
		{"telegram admin", func(w *world) { w.tg.SetAdmin(-100, 8); w.tg.Push(telegramtest.Text(-100, 8, "/stop")) }, true},
		{"telegram owner", func(w *world) { w.tg.Push(telegramtest.Text(-100, 1, "/stop")) }, true},
		{"discord stranger", func(w *world) { w.dc.Message("77", "50", "66", "<@9000> /stop") }, false},
		{"discord stranger picks", func(w *world) {
			w.dc.Interaction(discordtest.Use{Guild: "77", Channel: "50", User: "66", Command: "stop"})
		}, false},
		{"discord who asked picks", func(w *world) {
			w.dc.Interaction(discordtest.Use{Guild: "77", Channel: "50", User: "7", Command: "stop"})
		}, true},
		{"discord owner", func(w *world) { w.dc.Message("77", "50", "1", "<@9000> /stop") }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).onDiscord()
			w.env = append(w.env, "BOT_ACCESS_MODE=allowlist", "BOT_ACCESS_OWNERS=telegram:1,discord:1",
				"BOT_ACCESS_ALLOW=telegram:7,telegram:8,discord:7,discord:8")
			w.serve(t)
			delay := 1500 * time.Millisecond
			if tt.want {
				delay = time.Minute // that long a busy machine may take to stop it
			}
			w.llm.Queue(llmtest.Turn{Text: "the long answer", Delay: delay})
			if tt.name[0] == 't' {
				w.tg.Push(telegramtest.Text(-100, 7, "@parley_bot think long"))
			} else {
				w.dc.Message("77", "50", "7", "<@9000> think long")
			}
			eventually(t, "the model is asked", func() bool { return len(w.llm.Requests()) == 1 })
			tt.stop(w)
			has := func(text string) bool {
				for _, m := range w.tg.Sent() {
					if m.Text == text {
						return true
					}
				}
				for _, m := range w.dc.Sent() {
					if m.Content == text {
						return true
					}
				}
				return false
			}
			if tt.want {
				eventually(t, "it is stopped", func() bool { return has("Stopped.") })
			} else {
				eventually(t, "it is answered", func() bool { return has("the long answer") })
			}
		})
	}
}
