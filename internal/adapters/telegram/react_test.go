package telegram

import (
	"slices"
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/chat"
)

// TestAReactionSaysThatAMessageIsBeingAnswered: once, only where it is wanted and
// allowed, and only until the answer is there.
func TestAReactionSaysThatAMessageIsBeingAnswered(t *testing.T) {
	s := server(t, telegramtest.Options{})
	s.AddChat(group)
	s.AddChat(42)
	a := adapter(t, s, func(o *Options) { o.Reactions = true })
	m := chat.Message{ID: "7", Key: place(group, 0), Text: "hi"}
	for range 3 {
		if err := a.Typing(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Reactions(group, 7); !slices.Equal(got, []string{"👀"}) {
		t.Errorf("reactions %q", got)
	}
	for i := range 2 {
		if _, err := a.Send(t.Context(), chat.Part{Key: m.Key, ReplyTo: "7", Index: i, Text: "hello"}); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Reactions(group, 7); !slices.Equal(got, []string{"👀", ""}) {
		t.Errorf("reactions %q", got)
	}
	pressed := chat.Message{ID: "q1", Key: m.Key, Kind: chat.KindButton}
	_ = a.Typing(t.Context(), pressed)
	plain := adapter(t, s, nil)
	_ = plain.Typing(t.Context(), chat.Message{ID: "8", Key: m.Key})
	s.Stern(42)
	for _, id := range []string{"1", "2", "3"} {
		if err := a.Typing(t.Context(), chat.Message{ID: id, Key: place(42, 0)}); err != nil {
			t.Error(err)
		}
	}
	if n := len(s.Calls("setMessageReaction")); n != 3 {
		t.Errorf("%d reactions were asked for; a chat that refuses one is asked once", n)
	}
}

// TestDescriptionsAreSetOnce: what the owner wrote stays.
func TestDescriptionsAreSetOnce(t *testing.T) {
	s := server(t, telegramtest.Options{})
	a := adapter(t, s, nil)
	m := chat.Menu{About: strings.Repeat("a", 200), Greeting: strings.Repeat("ü", 600)}
	for range 2 {
		if err := a.Register(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	short, long := s.About()
	if len(short) != 120 || len([]rune(long)) != 512 {
		t.Errorf("described as %q and %q", short, long)
	}
	m = chat.Menu{About: "another", Greeting: "another"}
	if err := a.Register(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if short, long := s.About(); short == "another" || long == "another" {
		t.Error("what stands there was replaced")
	}
	if n := len(s.Calls("setMyDescription")) + len(s.Calls("setMyShortDescription")); n != 2 {
		t.Errorf("set %d times", n)
	}
	s.Fail(telegramtest.Fault{Method: "getMyDescription", Status: 500})
	if err := a.Register(t.Context(), m); err == nil {
		t.Error("a failure is silent")
	}
}
