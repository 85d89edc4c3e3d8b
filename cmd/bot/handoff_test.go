package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// patience is how long something may take on a busy machine.
const patience = 20 * time.Second

// told waits until somebody was told something in a chat on Telegram.
func (w *world) told(t *testing.T, chat int64, words string) telegramtest.SentMessage {
	t.Helper()
	var found telegramtest.SentMessage
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if w.tg.Wait(ctx, func() bool {
		for _, m := range w.tg.Sent() {
			if m.Chat == chat && strings.Contains(m.Text, words) {
				found = m
				return true
			}
		}
		return false
	}) != nil {
		t.Fatalf("nobody was told %q: %+v", words, w.tg.Sent())
	}
	return found
}

// posted waits until something was said in a channel on Discord.
func (w *world) posted(t *testing.T, channel, words string) discordtest.Message {
	t.Helper()
	var found discordtest.Message
	if !w.dc.Wait(patience, func() bool {
		for _, m := range w.dc.Sent() {
			if m.Channel == channel && strings.Contains(m.Content, words) {
				found = m
				return true
			}
		}
		return false
	}) {
		t.Fatalf("nobody posted %q: %+v", words, w.dc.Sent())
	}
	return found
}

// manned returns a world with a desk.
func manned(t *testing.T, desk string) *world {
	t.Helper()
	w := newWorld(t, "BOT_HANDOFF_DESK="+desk).onDiscord()
	return w
}

// TestHandoffSurvivesKills: whatever is written on both sides arrives in order and
// as often as answers do, though the process dies at each named point.
func TestHandoffSurvivesKills(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"after_inbox_commit:3", "before_finish:2", "before_finish:5", "after_finish:3", "after_finish:6"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := manned(t, "discord:50")
			w.llm.Quiet()
			child := w.start(t)
			w.connected(t)
			w.tg.Push(telegramtest.Text(42, 42, "/handoff"))
			w.told(t, 42, "asked a person")
			w.dc.Press("77", "50", "9", w.posted(t, "50", "telegram:42").ID, "/handoff take 1")
			w.told(t, 42, "is here now")
			w.settled(t)
			kill(child)
			child = w.start(t, "BOT_FAILPOINT="+point)
			w.connected(t)
			for i := range 6 {
				w.tg.Push(telegramtest.Text(42, 42, fmt.Sprintf("in-%d.", i)))
				w.dc.Message("77", "50", "9", fmt.Sprintf("out-%d.", i))
			}
			w.dieOrRest(t, child, w.allTaken)
			w.start(t)
			w.told(t, 42, "out-5.")
			w.posted(t, "50", "in-5.")
			w.settled(t)
			var in, out []string
			for _, m := range w.dc.Sent() {
				in = append(in, m.Content)
			}
			for _, m := range w.tg.Sent() {
				out = append(out, m.Text)
			}
			inOrder(t, strings.Join(in, "\n"), "in", 0)
			inOrder(t, strings.Join(out, "\n"), "out", 1) // Telegram has no nonce: the one send that the kill cut off
		})
	}
}

// inOrder checks that six tokens stand in a text once each, in order, but for so
// many that may be repeated.
func inOrder(t *testing.T, all, token string, repeats int) {
	t.Helper()
	last := -1
	for i := range 6 {
		word := fmt.Sprintf("%s-%d.", token, i)
		n := strings.Count(all, word)
		if repeats -= n - 1; n < 1 || repeats < 0 {
			t.Errorf("%s: %d times", word, n)
		}
		if at := strings.Index(all, word); at < last {
			t.Errorf("%s is out of order", word)
		} else {
			last = at
		}
	}
}

// wholePrompt returns everything that a model was sent.
func wholePrompt(r llmtest.Request) (all string) {
	for _, m := range r.Messages {
		all += m.Whole() + "\n"
	}
	return all
}
