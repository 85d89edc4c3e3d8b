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
const patience = time.Minute

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

// TestHandoffFollowsEdits: what somebody at the desk corrects, the person sees corrected in
// its place, over a kill, and the transcript has it; what waits to be sent is sent corrected.
func TestHandoffFollowsEdits(t *testing.T) {
	t.Parallel()
	w := manned(t, "discord:50")
	w.llm.Quiet()
	child := w.start(t)
	w.connected(t)
	w.tg.Push(telegramtest.Text(42, 42, "/handoff"))
	w.told(t, 42, "asked a person")
	w.dc.Press("77", "50", "9", w.posted(t, "50", "telegram:42").ID, "/handoff take 1")
	w.told(t, 42, "is here now")
	id := w.dc.Message("77", "50", "9", "it ships on tusday")
	first := w.told(t, 42, "tusday")
	w.settled(t)
	kill(child)
	child = w.start(t)
	w.connected(t)
	w.dc.Edit(id, "it ships on Tuesday")
	eventually(t, "it is corrected", func() bool {
		for _, m := range w.tg.Sent() {
			if m.ID == first.ID && m.Chat == 42 {
				return strings.Contains(m.Text, "on Tuesday")
			}
		}
		return false
	})
	if n := len(w.in(42)); n != 3 {
		t.Errorf("%d messages: %+v", n, w.in(42))
	}
	if n := w.count(t, "SELECT count(*) FROM messages WHERE content LIKE '%tusday%'"); n != 0 {
		t.Errorf("the transcript has %d lines of what was corrected", n)
	}
	w.tg.Block(42, "Forbidden: bot was blocked by the user")
	id = w.dc.Message("77", "50", "9", "and costs tne francs")
	w.posted(t, "50", "has blocked me")
	w.dc.Edit(id, "and costs ten francs")
	eventually(t, "it is reworded", func() bool {
		return w.count(t, "SELECT count(*) FROM outbox WHERE state = 'ready' AND body LIKE '%ten francs%'") == 1
	})
	kill(child)
	w.tg.Block(42, "")
	w.start(t)
	w.connected(t)
	w.tg.Push(telegramtest.Text(42, 42, "back again"))
	w.told(t, 42, "ten francs")
	w.posted(t, "50", "can be reached again")
	w.posted(t, "50", "back again")
	w.dc.Press("77", "50", "8", w.posted(t, "50", "telegram:42").ID, "/handoff back 1")
	if got := w.told(t, 42, "has left the conversation").Text; !strings.Contains(got, "user9") || strings.Contains(w.texts(42), "tne") {
		t.Errorf("said %q in\n%s", got, w.texts(42))
	}
}

// TestHandoffFollowsEditsOnDiscord is TestHandoffFollowsEdits from a desk on Telegram, which
// becomes a supergroup meanwhile: whoever took the conversation still has it.
func TestHandoffFollowsEditsOnDiscord(t *testing.T) {
	t.Parallel()
	w := manned(t, "telegram:-500")
	w.env = append(w.env, "BOT_HANDOFF_WHO=admins")
	w.llm.Quiet()
	w.tg.AddChat(-500)
	child := w.start(t)
	w.connected(t)
	w.dc.Message("77", "50", "9", "<@"+discordtest.App+"> /handoff")
	w.posted(t, "50", "asked a person")
	asked := w.told(t, -500, "discord:9")
	w.tg.Push(telegramtest.Press(-500, 1, asked.ID, "q1", "/handoff take 1"))
	w.posted(t, "50", "is here now")
	w.tg.Push(telegramtest.Raw(desked(-500, 70, "message", "it ships on tusday")))
	first := w.posted(t, "50", "tusday")
	w.settled(t) // a part that is just being sent is corrected by another
	w.tg.Push(telegramtest.Raw(desked(-500, 70, "edited_message", "it ships on Tuesday")))
	eventually(t, "it is corrected", func() bool {
		for _, m := range w.dc.Sent() {
			if m.ID == first.ID {
				return strings.Contains(m.Content, "on Tuesday")
			}
		}
		return false
	})
	w.settled(t)
	kill(child)
	w.tg.Migrate(-500, upgraded(-500))
	w.start(t)
	w.connected(t)
	w.tg.Push(telegramtest.Raw(desked(upgraded(-500), 2, "message", "it costs ten francs")))
	w.posted(t, "50", "ten francs")
	w.tg.Push(telegramtest.Press(upgraded(-500), 1, asked.ID, "q2", "/handoff back 1"))
	w.posted(t, "50", "I am with you again")
	if all := w.texts(upgraded(-500)); strings.Contains(all, "Only those at the desk") {
		t.Errorf("at the desk:\n%s", all)
	}
}

// desked is what the owner writes at a desk, or edits there.
func desked(chat int64, id int, kind, words string) string {
	edited := ""
	if kind != "message" {
		edited = `"edit_date":2,`
	}
	return fmt.Sprintf(`{"update_id":0,%q:{"message_id":%d,"date":1,%s"chat":{"id":%d,"type":"supergroup","title":"Desk"},
		"from":{"id":1,"is_bot":false,"first_name":"Owner"},"text":%q}}`, kind, id, edited, chat, words)
}
