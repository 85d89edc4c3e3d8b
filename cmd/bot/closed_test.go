package main

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
)

// TestAnswersOfAClosedPlace: what cannot be said because the platform refuses it is kept
// over a kill, an owner hears of it once, /status and /healthz show it, and it is said once, in order, as
// soon as something is heard from there and it may be.
func TestAnswersOfAClosedPlace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		shut, open func(w *world)
		ask        func(w *world, text string)
		said       func(w *world) string
	}{
		"telegram": {
			shut: func(w *world) {
				w.tg.Block(-100, "Bad Request: not enough rights to send text messages to the chat")
			},
			open: func(w *world) { w.tg.Block(-100, "") },
			ask:  func(w *world, text string) { w.tg.Push(telegramtest.Text(-100, 7, "@parley_bot "+text)) },
			said: func(w *world) string { return w.texts(-100) },
		},
		"discord": {
			shut: func(w *world) { w.dc.Gone("50", 50013) },
			open: func(w *world) { w.dc.Gone("50", 0) },
			ask:  func(w *world, text string) { w.dc.Message("77", "50", "7", "<@"+discordtest.App+"> "+text) },
			said: func(w *world) (all string) {
				for _, m := range w.dc.Sent() {
					all += m.Content + "\n"
				}
				return all
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).onDiscord()
			base := w.withPort(t)
			child := w.start(t)
			w.connected(t)
			w.answered(t, 1, 1, "hi")
			c.ask(w, "open-0.")
			eventually(t, "an answer", func() bool { return strings.Contains(c.said(w), "open-0.") })
			c.shut(w)
			for i, said := range []string{"kept-1.", "kept-2."} {
				c.ask(w, said)
				eventually(t, "it is kept", func() bool {
					return w.count(t, "SELECT count(*) FROM outbox WHERE state = 'ready'") == i+1 &&
						w.count(t, "SELECT count(*) FROM inbox WHERE state = 'new'") == 0
				})
			}
			kill(child)
			w.change(t, "UPDATE closed_places SET since = '"+stampAgo(10)+"'")
			child = w.start(t)
			w.connected(t)
			w.told(t, 1, "I can no longer write in ")
			if _, _, problems := probe(t, base+"/healthz"); !strings.Contains(problems["places"], "2 messages") {
				t.Errorf("healthz: %v", problems)
			}
			if got := w.answered(t, 1, 1, "/status"); !strings.Contains(got, "nothing can be written in 1 conversation") {
				t.Errorf("/status: %s", got)
			}
			kill(child)
			c.open(w)
			w.start(t)
			w.connected(t)
			c.ask(w, "open-3.")
			w.told(t, 1, "again. What was kept")
			eventually(t, "all is said", func() bool {
				return strings.Contains(c.said(w), "open-3.") && w.count(t, "SELECT count(*) FROM outbox WHERE state IN ('ready', 'started')") == 0
			})
			all := c.said(w)
			if strings.Count(all, "kept-1.") != 1 || strings.Count(all, "kept-2.") != 1 ||
				strings.Index(all, "kept-1.") > strings.Index(all, "kept-2.") || strings.Index(all, "kept-2.") > strings.Index(all, "open-3.") {
				t.Errorf("said:\n%s", all)
			}
			if n := strings.Count(w.texts(1), "I can no longer write in "); n != 1 {
				t.Errorf("the owner heard of it %d times", n)
			}
			eventually(t, "no place is closed", func() bool { return w.count(t, "SELECT count(*) FROM closed_places") == 0 })
		})
	}
}

// TestPutOutIsHeard: that the bot was put out of a group is known though nothing else
// arrived with it, and over a kill; an owner hears of what hung on the group, and of the bot's being back.
func TestPutOutIsHeard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	child := w.start(t)
	w.answered(t, 1, 1, "hi")
	w.answered(t, -100, 1, "/config channel listen:all")
	w.settled(t)
	w.tg.Push(telegramtest.Raw(fmt.Sprintf(`{"update_id":0,"message":{"message_id":900,"date":1,"chat":{"id":-100,"type":"supergroup"},
		"from":{"id":%[1]d,"is_bot":true,"first_name":"p"},"left_chat_member":{"id":%[1]d,"is_bot":true,"first_name":"p"}}}`, w.tg.BotID())))
	eventually(t, "it is heard", func() bool { return w.count(t, "SELECT count(*) FROM closed_places WHERE state = 'left'") == 1 })
	kill(child)
	w.change(t, "UPDATE closed_places SET since = '"+stampAgo(10)+"'")
	w.start(t)
	w.told(t, 1, "I was removed from ")
	w.tg.Push(added(-100, "supergroup", "left", "member"))
	w.told(t, 1, "I can write in ")
	w.settled(t)
	if all := w.texts(1); strings.Count(all, "I was removed from ") != 1 || strings.Count(all, "I can write in ") != 1 {
		t.Errorf("the owner was told:\n%s", all)
	}
}
