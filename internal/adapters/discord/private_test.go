package discord

import (
	"context"
	"errors"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/chat"
)

// TestWhisper: a private part is read by one person whatever became of the
// interaction: deferred in public or in private, pressed, in several parts.
func TestWhisper(t *testing.T) {
	for _, deferred := range []bool{false, true} {
		s, in := fake(t), newIntake()
		a, _ := connected(t, in, s)
		a.o.Private = func(context.Context, chat.Message) bool { return deferred }
		s.Interaction(discordtest.Use{Guild: "77", Channel: "50", User: "42", Command: "ask"})
		until(t, "delivered", func() bool { return len(in.texts()) == 1 })
		slash := in.last()
		s.Press("77", "50", "42", "5", "data")
		until(t, "delivered", func() bool { return len(in.texts()) == 2 })
		press := in.last()
		a.acks.Wait()
		for _, m := range []chat.Message{slash, press} {
			if !a.Whispers(m) {
				t.Errorf("%s: cannot be whispered", m.Kind)
			}
			for i := range 2 {
				p := chat.Part{Key: m.Key, Origin: m.Origin, To: m.From, Text: "secret", Index: i, Private: true, Sending: chat.Sending{At: time.Now()}}
				if _, err := a.Send(t.Context(), p); err != nil {
					t.Error(err)
				}
			}
		}
		shown := 0
		for _, m := range s.Sent() {
			if _, only := s.Readers(m); only != "42" {
				t.Errorf("deferred in private %v: everybody reads %+v", deferred, m)
			}
			shown++
		}
		if shown != 4 {
			t.Errorf("%d of 4 parts are shown", shown)
		}
	}
}

// TestDirectChatByPerson: a conversation that is known by its person is opened
// once, and is closed where the person keeps it shut.
func TestDirectChatByPerson(t *testing.T) {
	s := fake(t)
	a, _ := connected(t, newIntake(), s)
	k, ok := a.DirectKey(chat.User{ID: "discord:42"})
	if _, many := a.DirectKey(chat.User{ID: "discord:guild:42"}); !ok || many {
		t.Fatal("a person has a direct chat, and nobody else")
	}
	for i := range 2 {
		if _, err := a.Send(t.Context(), chat.Part{Key: k, Text: "hi", Index: i, Nonce: string(rune('a' + i)),
			Sending: chat.Sending{At: time.Now()}}); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Sent(); len(got) != 2 || got[0].Channel != "dm42" || len(s.Calls("POST", "/users/@me/channels")) != 1 {
		t.Errorf("sent %+v", got)
	}
	s.Gone("dm42", 50007)
	var gone *chat.GoneError
	if _, err := a.Send(t.Context(), chat.Part{Key: k, Text: "hi", Nonce: "c", Sending: chat.Sending{At: time.Now()}}); !errors.As(err,
		&gone) || !gone.Closed {
		t.Errorf("shut: %v", err)
	}
}
