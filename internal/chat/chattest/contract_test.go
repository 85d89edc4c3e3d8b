package chattest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"parley/internal/chat"
)

// The adapter in memory keeps the contract that it stands in for.
func TestContract(t *testing.T) {
	Contract(t, func(t *testing.T) Rig {
		a := &Adapter{}
		var last chat.Message
		n := 0
		tell := func(m chat.Message) {
			t.Helper()
			n++
			if m.ID == "" {
				m.ID = fmt.Sprint(n)
			}
			if m.Kind == chat.KindText {
				last = m
			}
			if err := a.Deliver(t.Context(), m); err != nil {
				t.Error(err)
			}
		}
		base := chat.Message{Key: chat.Key{Platform: Platform, Channel: "42"}, From: chat.User{ID: "p:42"}, Addressed: true,
			Direct: true, At: time.Now()}
		with := func(kind chat.Kind, replyTo, text string) chat.Message {
			m := base
			m.Kind, m.ReplyTo, m.Text = kind, replyTo, text
			return m
		}
		return Rig{
			Adapter: a, Identity: chat.Identity{Platform: Platform, Person: chat.IsNumber}, Person: "p:42", Shown: a.Texts,
			Say:    func(text string) { tell(with(chat.KindText, "", text)) },
			Stop:   func() { tell(with(chat.KindCommand, "", "/stop")) },
			Again:  func() { tell(last) },
			Edit:   func(text string) { tell(with(chat.KindEdit, last.ID, text)) },
			Delete: func() { tell(with(chat.KindDeleted, last.ID, "")) },
			Errors: map[Class]func(){
				Waits:   func() { a.Fail(&chat.WaitError{After: time.Second}) },
				Gone:    func() { a.Fail(&chat.GoneError{}) },
				Unknown: func() { a.Fail(chat.ErrUnknownOutcome) },
				Refused: func() { a.Fail(errors.New("refused")) },
			},
		}
	})
}
