package telegram

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/chat"
	"parley/internal/text/catalog"
)

// TestAReactionSaysThatAMessageIsBeingAnswered: once, only where it is wanted and
// allowed, and only until the answer is there.
func TestAReactionSaysThatAMessageIsBeingAnswered(t *testing.T) {
	s := server(t)
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

// TestDescriptionsAreSetOnce: in each language, and what the owner wrote stays, for
// everybody or in one of them.
func TestDescriptionsAreSetOnce(t *testing.T) {
	set := func(s *telegramtest.Server) int {
		return len(s.Calls("setMyDescription")) + len(s.Calls("setMyShortDescription"))
	}
	tell := func(s *telegramtest.Server, m chat.Menu) error { return adapter(t, s, nil).Register(t.Context(), m) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s := server(t)
	m := chat.Menu{About: "Undo", Greeting: "Both"} // words that every catalog has
	s.Describe("short_description", "fr", "Le majordome de la famille.")
	must(tell(s, m))
	must(tell(s, m))
	for _, p := range catalog.Printers() {
		language := p.Tag()
		if p == (catalog.Printer{}) {
			language = ""
		}
		short, long := s.About(language)
		if language == "fr" {
			short = p.Text(m.About)
		}
		if short != p.Text(m.About) || long != p.Text(m.Greeting) || p != (catalog.Printer{}) && long == m.Greeting {
			t.Errorf("%s: described as %q and %q", p.Tag(), short, long)
		}
	}
	if short, _ := s.About("fr"); short != "Le majordome de la famille." {
		t.Errorf("the owner's words became %q", short)
	}
	if n, want := set(s), 2*len(catalog.Printers())-1; n != want {
		t.Errorf("set %d times, want %d: Telegram lets few be set", n, want)
	}
	s.Fail(telegramtest.Fault{Method: "getMyDescription", Status: 500})
	if tell(s, m) == nil {
		t.Error("a failure is silent")
	}

	s = server(t)
	s.Describe("description", "", "The house's own.")
	must(tell(s, chat.Menu{About: strings.Repeat("a", 200), Greeting: "Both"}))
	if short, long := s.About(""); len(short) != 120 || long != "The house's own." {
		t.Errorf("described as %q and %q", short, long)
	}
	if _, long := s.About("de"); long != "" {
		t.Errorf("over the owner's words stand %q", long)
	}

	s = server(t)
	s.Fail(telegramtest.Fault{Method: "setMyShortDescription", Status: 429, RetryAfter: 3600})
	var wait *chat.WaitError
	if err := tell(s, m); !errors.As(err, &wait) || wait.After < time.Hour || set(s) != 1 {
		t.Errorf("refused for an hour: %v, and asked %d times", err, set(s))
	}
}
