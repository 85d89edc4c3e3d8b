package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/chat"
)

// TestClusterStrayFault: a message that is a process's own and that it is not at work on,
// whatever the reason, is answered by it: nobody else would.
func TestClusterStrayFault(t *testing.T) {
	f := newFleet(t, 2)
	answered := func(text string) func() bool {
		return func() bool {
			return slices.ContainsFunc(f.tg.Sent(), func(m telegramtest.SentMessage) bool { return m.Chat == 7 && strings.Contains(m.Text, text) })
		}
	}
	f.tg.Push(telegramtest.Text(7, 7, "tok-first."))
	eventually(t, "the first answer", answered("tok-first."))
	eventually(t, "nothing is under way", func() bool { return f.open() == 0 })
	body, err := json.Marshal(chat.Message{ID: "900", Key: chat.Key{Platform: "telegram", Channel: "7"},
		From: chat.User{ID: "telegram:7", Name: "U7"}, Text: "tok-stray.", Addressed: true, Direct: true, At: time.Now()})
	must(t, err)
	_, err = f.rows.Exec("INSERT INTO inbox (platform, channel, thread, message_id, body, uid, state, at) VALUES "+
		"('telegram', '7', '', '900', $1, 'stray', 'new', $2)", string(body), time.Now().UTC().Format("2006-01-02T15:04:05.000Z"))
	must(t, err)
	eventually(t, "the other answer", answered("tok-stray."))
}
