package main

import (
	"strings"
	"sync/atomic"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// stories has the model fail for whoever asks for a story: at once the first time, and from
// then on when heal is called, after which it tells one. It answers all else.
func (w *world) stories() (asked *atomic.Int32, heal func()) {
	asked, well := &atomic.Int32{}, make(chan struct{})
	w.llm.Respond(func(r llmtest.Request) llmtest.Turn {
		said := ""
		for _, m := range r.Messages {
			if m.Role == "user" {
				said = string(m.Content)
			}
		}
		if !strings.Contains(said, "story") {
			return llmtest.Turn{Text: "paid"}
		}
		if asked.Add(1) == 1 {
			return broken("503")
		}
		<-well
		return llmtest.Turn{Text: "There was a fox."}
	})
	return asked, func() { close(well) }
}

// TestTheLaneBesideAFailingModel: while a message waits for a model that fails, what needs none
// is answered in the same place, to whoever asks. What needs a model waits, and the message is
// answered at last, once, by a model that sees what was said meanwhile.
func TestTheLaneBesideAFailingModel(t *testing.T) {
	t.Parallel()
	for name, on := range map[string]func(*testing.T, *world) group{"telegram": onTelegramGroup, "discord": onDiscordGuild} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "BOT_MODEL_RETRY_FOR=20s", "BOT_MODEL_RETRIES=6", "BOT_LIMITS_USER_PER_MINUTE=3")
			asked, heal := w.stories()
			g := on(t, w)
			g.say("7", "tell me a story about a fox")
			eventually(t, "the model is tried again", func() bool { return asked.Load() == 2 })
			g.say("8", "what is the capital of France?")
			for _, one := range []struct{ user, said, want string }{
				{"7", "remind me tomorrow at 9 to call mom", "call mom"},
				{"8", "what is 12 * 7?", "84"},
				{"7", "what time is it?", "UTC"},
			} {
				g.say(one.user, one.said)
				eventually(t, one.said+" is answered", func() bool {
					texts, _ := g.all()
					return len(texts) > 0 && strings.Contains(texts[len(texts)-1], one.want)
				})
			}
			heal()
			w.settled(t)
			texts, _ := g.all()
			all := strings.Join(texts, "\n")
			if n := strings.Count(all, "There was a fox."); n != 1 || strings.Count(all, "paid") != 1 ||
				strings.Contains(all, "a lot of messages") {
				t.Errorf("said %q", texts)
			}
			told := false
			for _, r := range w.words() {
				said := ""
				for _, m := range r.Messages {
					said += string(m.Content)
				}
				now := said[strings.LastIndex(said, "context"):]
				told = told || strings.Contains(said, "call mom") && strings.Contains(said, "12 * 7") && strings.Contains(now, "a fox")
			}
			if !told {
				t.Error("the story was told without what was said before")
			}
			w.reminders(t, 1)
		})
	}
}

// Commands about tasks, facts and reminders pass, too, and what they have to ask.
func TestCommandsBesideAFailingModel(t *testing.T) {
	t.Parallel()
	for name, on := range map[string]func(*testing.T, *world) func(string) string{"telegram": onTelegram, "discord": onDiscordDM} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "BOT_MODEL_RETRY_FOR=20s", "BOT_MODEL_RETRIES=6")
			asked, heal := w.stories()
			on(t, w)
			say, said := func(text string) { w.tg.Push(telegramtest.Text(1, 1, text)) }, func() string { return w.texts(1) }
			if name == "discord" {
				say, said = func(text string) { w.dc.Message("", "10", "42", text) }, func() (all string) {
					for _, m := range w.dc.Sent() {
						all += m.Content + "\n"
					}
					return all
				}
			}
			say("tell me a story about a fox")
			eventually(t, "the model is tried again", func() bool { return asked.Load() == 2 })
			for _, one := range []struct{ said, want string }{
				{"/tasks add buy milk", "added: buy milk"},
				{"/remind tomorrow at 9 call mom", "call mom"},
				{"/remind zone Europe/Zurich", "Zurich"},
				{"/tasks delete 1", `Delete the task "buy milk"?`},
			} {
				say(one.said)
				eventually(t, one.said+" is answered", func() bool { return strings.Contains(said(), one.want) })
			}
			heal()
			eventually(t, "the story is told", func() bool { return strings.Contains(said(), "There was a fox.") })
			w.settled(t)
			w.reminders(t, 1)
		})
	}
}

// Where the lane is off, and for what changes the conversation itself, everything waits in order.
func TestOrderBesideAFailingModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "BOT_QUICK=off", "BOT_MODEL_RETRY_FOR=20s", "BOT_MODEL_RETRIES=6")
	asked, heal := w.stories()
	w.run(t)
	w.tg.Push(telegramtest.Text(7, 7, "tell me a story about a fox"))
	eventually(t, "the model is tried again", func() bool { return asked.Load() == 2 })
	w.tg.Push(telegramtest.Text(7, 7, "remind me tomorrow at 9 to call mom"), telegramtest.Text(7, 7, "/session reset"),
		telegramtest.Text(7, 7, "/status"))
	w.sent(t, 1)
	heal()
	got := w.sent(t, 4)
	if !strings.Contains(got[0], "model") || got[1] != "There was a fox." || got[2] != "paid" || strings.Contains(got[3], "fox") {
		t.Errorf("said %q", got)
	}
}

// Killed while the message waits behind what passed it, and again at what is done for that:
// everything is answered once, and one reminder is set.
func TestTheLaneBesideAFailingModelAcrossKills(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"after_model", "before_finish", "after_finish"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "BOT_QUICK=on", "BOT_MODEL_RETRY_FOR=20s", "BOT_MODEL_RETRIES=6")
			asked, heal := w.stories()
			child := w.start(t, "BOT_FAILPOINT="+point)
			w.tg.Push(telegramtest.Text(7, 7, "tell me a story about a fox"))
			eventually(t, "the model is tried again", func() bool { return asked.Load() == 2 })
			w.tg.Push(telegramtest.Text(7, 7, "remind me tomorrow at 9 to call mom"))
			dies(t, child)
			child = w.start(t)
			heal()
			w.told(t, 7, "There was a fox.")
			w.settled(t)
			kill(child)
			if said := w.texts(7); strings.Count(said, "There was a fox.") != 1 {
				t.Errorf("said %q", said)
			}
			w.saysWhatBecame(t, "call mom")
			w.reminders(t, 1)
		})
	}
}
