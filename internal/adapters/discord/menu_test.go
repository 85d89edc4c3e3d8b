package discord

import (
	"context"
	"slices"
	"strings"
	"testing"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/chat"
)

// menu is what is registered in these tests.
var testMenu = chat.Menu{
	Commands: []chat.MenuCommand{
		{Name: "facts", Help: "facts", Verbs: []chat.MenuCommand{
			{Name: "add", Help: "Remember something", Options: []chat.MenuOption{{Name: "text",
				Help: "what to remember, in a sentence or in several", Required: true, Long: true}, {Name: "scope", Help: "for whom",
				Choices: []string{"person", "channel"}}}},
			{Name: "change", Help: "Change it", Options: []chat.MenuOption{{Name: "text", Help: "new", Required: true, Long: true},
				{Name: "number", Help: "which", Kind: chat.OptionNumber, Required: true, Suggests: true}}},
		}},
	},
	Actions: []chat.MenuAction{{Name: "Remember this", Command: "facts add"}, {Name: "Remind me", Command: "remind add",
		Ask: "When? " + strings.Repeat("x", 60)}, {Name: "Why?", Command: "why"}},
}

func withMenu(t *testing.T, o Options) (*discordtest.Server, *intake) {
	t.Helper()
	s, in := fake(t), newIntake()
	o.Token, o.APIURL = discordtest.Token, s.URL()
	a, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	running(t, a, in, s)
	for range 2 { // the second time it is what Discord has
		if err := a.Register(t.Context(), testMenu); err != nil {
			t.Fatal(err)
		}
	}
	return s, in
}

func TestMenusAreRegistered(t *testing.T) {
	t.Parallel()
	s, _ := withMenu(t, Options{})
	var actions []string
	for _, c := range s.Commands() {
		if c.Type == 3 {
			actions = append(actions, c.Name)
			continue
		}
		if text := c.Options[0].Options[0]; text.Name != "text" || text.Required {
			t.Errorf("a long text must be asked for in a form: %+v", text)
		}
		if number := c.Options[1].Options[0]; number.Name != "number" || !number.Required || !number.Suggests {
			t.Errorf("what is required comes first: %+v", c.Options[1].Options)
		}
	}
	if !slices.Equal(actions, []string{"Remember this", "Remind me", "Why?"}) {
		t.Errorf("actions %q", actions)
	}
	if n := len(s.Calls("PUT", "/applications/")); n != 1 {
		t.Errorf("registered %d times", n)
	}
}

func TestNumbersAreCompletedAsNumbers(t *testing.T) {
	t.Parallel()
	s, _ := withMenu(t, Options{Suggest: func(context.Context, chat.Message, string, string) []chat.Choice {
		return []chat.Choice{{Value: "7", Label: "7 – " + strings.Repeat("long ", 40)}, {Value: "none"}, {Value: "8"}}
	}})
	id := s.Typing(discordtest.Use{Guild: "77", Channel: "50", User: "42", Command: "facts change", Options: [][2]string{{"number", "lo"}}})
	until(t, "completed", func() bool { _, ok := s.Responded(id); return ok })
	r, _ := s.Responded(id)
	if names := r.Names(); len(names) != 2 || !strings.HasPrefix(names[0], "7 – long") || names[1] != "8" {
		t.Errorf("offered %q", names)
	}
}

func TestALongTextIsAskedForInAForm(t *testing.T) {
	t.Parallel()
	s, in := withMenu(t, Options{})
	use := discordtest.Use{Guild: "77", Channel: "50", User: "42", Command: "facts add", Options: [][2]string{{"scope", "channel"}}}
	id := s.Interaction(use)
	until(t, "a form", func() bool { r, _ := s.Responded(id); return r.Type == 9 })
	if _, sent := s.Fill(use, id, strings.Repeat("x", 4001)); sent {
		t.Error("more than Discord takes")
	}
	text := "two \"lines\"\nof « text"
	filled, sent := s.Fill(use, id, text)
	if !sent {
		t.Fatal("not sent")
	}
	until(t, "a message", func() bool { return len(in.texts()) > 0 })
	if got := in.texts()[0]; got != `/facts add scope:"channel" text:«`+text+`»` {
		t.Errorf("got %q", got)
	}
	until(t, "a deferral", func() bool { r, _ := s.Responded(filled); return r.Type == 5 })
	given := use
	given.Options = [][2]string{{"text", "it's \"so\""}}
	s.Interaction(given)
	until(t, "no form", func() bool { return len(in.texts()) > 1 })
	if got := in.texts()[1]; got != `/facts add text:«it's "so"»` {
		t.Errorf("got %q", got)
	}
}

func TestTheMenuOfAMessage(t *testing.T) {
	t.Parallel()
	s, in := withMenu(t, Options{})
	act := func(name, author, text string) string {
		return s.Act(discordtest.Use{Guild: "77", Channel: "50", User: "42", Command: name}, "900", author, text)
	}
	want := func(n int, text, quote string, relayed bool) {
		t.Helper()
		until(t, "a message", func() bool { return len(in.texts()) > n })
		m := in.last()
		if m.Kind != chat.KindCommand || m.Text != text || m.ReplyTo != "900" || m.Quote != quote || m.Relayed != relayed ||
			m.From.ID != "discord:42" {
			t.Errorf("got %+v", m)
		}
	}
	act("Remember this", "43", "the code is blue")
	want(0, "/facts add", "the code is blue", true)
	act("Remember this", "42", "mine")
	want(1, "/facts add", "mine", false)
	act("Why?", discordtest.App, "an answer")
	want(2, "/why", "an answer", false)
	id := act("Remind me", "43", "the meeting")
	until(t, "a form", func() bool { r, _ := s.Responded(id); return r.Type == 9 })
	if _, sent := s.Fill(discordtest.Use{Guild: "77", Channel: "50", User: "42"}, id, "in 2 hours"); !sent {
		t.Fatal("not sent")
	}
	want(3, "/remind add in 2 hours", "the meeting", true)
	act("Something else", "43", "x")
	s.Message("", "10", "42", "after")
	until(t, "what follows", func() bool { return len(in.texts()) > 4 })
	if got := in.last().Text; got != "after" {
		t.Errorf("an unknown action is %q", got)
	}
}

func TestLongTablesFit(t *testing.T) {
	text := "# Title\n\n| n | what it is |\n|--:|---|\n" + strings.Repeat("| 1 | some words about it |\n", 200) + "\nend"
	a := &Adapter{}
	pieces := a.Split(text)
	if len(pieces) < 3 {
		t.Fatalf("%d pieces", len(pieces))
	}
	rows := 0
	for i, p := range pieces {
		content := compose(p, nil).Content
		if units(content) > maxContent {
			t.Errorf("piece %d has %d characters", i, units(content))
		}
		if strings.Count(content, "```")%2 != 0 || strings.Contains(content, "|--") {
			t.Errorf("piece %d: %q", i, content)
		}
		rows += strings.Count(content, "some words")
	}
	if rows != 200 {
		t.Errorf("%d rows", rows)
	}
}
