package main

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
)

// blocks is what Telegram tells a bot that somebody blocked, or took back.
func blocks(user int64, was, is string) telegramtest.Update {
	return telegramtest.Raw(
		fmt.Sprintf(`{"update_id":0,"my_chat_member":{"chat":{"id":%[1]d,"type":"private"},"from":{"id":%[1]d,"is_bot":false,"first_name":"U"},"date":1,
		"old_chat_member":{"status":%[2]q,"user":{"id":1,"is_bot":true,"first_name":"p"}},"new_chat_member":{"status":%[3]q,"user":{"id":1,"is_bot":true,"first_name":"p"}}}}`, user, was, is))
}

// TestRemindersOfALostPlace: reminders of a place that is lost wait over a restart, their
// person hears of that once, and when the place is back they are said once, late.
func TestRemindersOfALostPlace(t *testing.T) {
	t.Parallel()
	out := func(chat int64) string {
		if chat > 0 {
			return "Forbidden: bot was blocked by the user"
		}
		return "Forbidden: bot was kicked from the supergroup chat"
	}
	for _, c := range []struct {
		name       string
		chat       int64
		lost, back telegramtest.Update
	}{
		{"put out and added", -100, added(-100, "supergroup", "member", "kicked"), added(-100, "supergroup", "left", "member")},
		{"put out and heard again", -100, added(-100, "supergroup", "member", "left"), telegramtest.Text(-100, 8, "hello all")},
		{"nobody told that it is out", -100, telegramtest.Update{}, added(-100, "supergroup", "kicked", "administrator")},
		{"blocked and unblocked", 5, blocks(5, "member", "kicked"), blocks(5, "kicked", "member")},
		{"blocked and written to", 5, blocks(5, "member", "kicked"), telegramtest.Text(5, 5, "hello again")},
		{"nobody told that it is blocked", 5, telegramtest.Update{}, blocks(5, "kicked", "member")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			child := w.start(t)
			w.answered(t, 5, 5, "hi")
			w.answered(t, 5, 5, "/remind zone UTC")
			w.tg.AddChat(c.chat)
			for i, text := range []string{"/remind tomorrow at 8 water the plants", "/remind every day at 9 stretch"} {
				w.tg.Push(telegramtest.Text(c.chat, 5, text))
				eventually(t, text, func() bool { return w.count(t, "SELECT count(*) FROM reminders") == i+1 })
			}
			w.settled(t)
			w.tg.Block(c.chat, out(c.chat))
			if c.lost.Raw != "" {
				w.tg.Push(c.lost)
				eventually(t, "it is heard", func() bool { return w.tg.Waiting() == 0 })
			}
			w.settled(t)
			kill(child)
			w.due(t)
			child = w.start(t)
			eventually(t, "the reminders wait", func() bool {
				return w.count(t, "SELECT count(*) FROM reminders WHERE state = 'waiting' AND away = 'lost'") == 2
			})
			eventually(t, "no message waits", func() bool { return w.count(t, "SELECT count(*) FROM inbox WHERE state = 'new'") == 0 })
			kill(child)
			w.later(t)
			child = w.start(t)
			if c.chat < 0 {
				w.told(t, 5, "I can no longer write to you in ")
				eventually(t, "it is stored as sent", func() bool { // a kill before that has it said again
					return w.count(t, "SELECT count(*) FROM outbox WHERE channel = '5' AND state IN ('ready', 'started')") == 0
				})
			}
			eventually(t, "no message waits", func() bool { return w.count(t, "SELECT count(*) FROM inbox WHERE state = 'new'") == 0 })
			kill(child)
			w.tg.Block(c.chat, "")
			w.start(t)
			w.tg.Push(c.back)
			w.told(t, c.chat, "water the plants (I am")
			if c.lost.Raw != "" {
				w.told(t, c.chat, "stretch (I am")
			}
			w.settled(t)
			all := w.texts(c.chat)
			if strings.Count(all, "water the plants (I am") != 1 || strings.Count(all, "late: I could not write here.)") < 1 ||
				strings.Count(w.texts(5), "I can no longer") > 1 {
				t.Errorf("said:\n%s\nand alone:\n%s", all, w.texts(5))
			}
			if n := w.count(t, "SELECT count(*) FROM reminders WHERE state = 'waiting' AND away = ''"); n != 1 && c.lost.Raw != "" {
				t.Errorf("%d go on", n)
			}
		})
	}
}

// count runs a query for one number beside a bot.
func (w *world) count(t *testing.T, query string) (n int) {
	t.Helper()
	db, err := w.look()
	must(t, err)
	defer func() { must(t, db.Close()) }()
	must(t, db.QueryRow(query).Scan(&n))
	return n
}

// later makes what was lost lost for a while, and what was heard older than that, in the
// database of a bot that does not run.
func (w *world) later(t *testing.T) {
	t.Helper()
	w.change(t, "UPDATE inbox SET at = '"+stampAgo(20)+"'")
	w.change(t, "UPDATE membership SET checked_at = '"+stampAgo(20)+"'")
	w.change(t, "UPDATE reminders SET lost = '"+stampAgo(10)+"' WHERE away = 'lost'")
}
