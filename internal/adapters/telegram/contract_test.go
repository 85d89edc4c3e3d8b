package telegram

import (
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/chat/chattest"
)

func TestContract(t *testing.T) { chattest.Contract(t, rig) }

// rig returns the adapter on a fake of the Bot API. Telegram tells bots of no
// deletions.
func rig(t *testing.T) chattest.Rig {
	const person = 42
	s := server(t)
	s.AddChat(person)
	var last telegramtest.Update
	say := func(text string) {
		last = telegramtest.Text(person, person, text)
		s.Push(last) // fills in the number of the message
	}
	fail := func(f telegramtest.Fault) func() {
		return func() {
			f.Method, f.Times = "sendMessage", 1
			s.Fail(f)
		}
	}
	return chattest.Rig{
		Adapter:  adapter(t, s, func(o *Options) { o.Timing.Send = 5 * time.Second }),
		Identity: Identity,
		Person:   "telegram:42",
		Say:      say,
		Stop:     func() { s.Push(telegramtest.Text(person, person, "/stop")) },
		Again:    func() { s.Push(last) },
		Edit:     func(text string) { s.Push(telegramtest.Edit(person, person, last.Message.ID, text)) },
		Shown: func() (list []string) {
			for _, m := range s.Sent() {
				if !m.Deleted {
					list = append(list, m.Text)
				}
			}
			return list
		},
		Errors: map[chattest.Class]func(){
			chattest.Waits:   fail(telegramtest.Fault{Status: 429, RetryAfter: 35}),
			chattest.Gone:    fail(telegramtest.Fault{Status: 403, Description: "Forbidden: bot was blocked by the user"}),
			chattest.Unknown: fail(telegramtest.Fault{Drop: true, After: true}),
			chattest.Refused: fail(telegramtest.Fault{Status: 500}),
		},
	}
}
