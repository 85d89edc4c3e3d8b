package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/internal/chat"
	"parley/internal/command/gate"
)

// echo answers with what it was given.
func echo(_ context.Context, r gate.Request) (chat.Answer, error) {
	parts := []string{strings.TrimSpace(r.Command + " " + r.Verb)}
	for _, k := range slices.Sorted(maps.Keys(r.Args)) {
		parts = append(parts, k+"="+r.Args[k])
	}
	return chat.Answer{Text: strings.Join(parts, "|")}, nil
}

func table() []gate.Command {
	id := gate.Option{Name: "id", Help: "which", Kind: gate.Number, Required: true}
	text := gate.Option{Name: "text", Help: "what", Required: true}
	return []gate.Command{
		{Name: "ask", Help: "a question", Options: []gate.Option{text}, Run: echo},
		{Name: "look", Help: "something", Options: []gate.Option{{Name: "id", Help: "which", Kind: gate.Number},
			{Name: "set", Help: "on or off", Kind: gate.Switch}, text}, Run: echo},
		{Name: "status", Help: "how I am", Run: echo},
		{Name: "session", Help: "this conversation", Verbs: []gate.Command{
			{Name: "info", Help: "about it", Run: echo},
			{Name: "end", Help: "end it", Who: gate.Admin, Run: echo},
		}},
		{Name: "facts", Help: "what I know of you", Private: true, Verbs: []gate.Command{
			{Name: "list", Help: "all", Run: echo, Options: []gate.Option{{Name: "page", Help: "which page", Kind: gate.Number}}},
			{Name: "important", Help: "mark one", Options: []gate.Option{id, {Name: "set", Help: "on or off", Kind: gate.Switch}}, Run: echo},
			{Name: "tag", Help: "tag one", Options: []gate.Option{id, {Name: "as", Help: "how", Choices: []string{"Work", "Home"}}, text},
				Run: echo},
		}},
		{Name: "forget-me", Help: "forget all", Run: echo},
		{Name: "tools", Help: "tools", Who: gate.Owner, Verbs: []gate.Command{{Name: "list", Help: "all", Run: echo}}},
		{Name: "broken", Help: "fails", Run: func(context.Context, gate.Request) (chat.Answer, error) {
			return chat.Answer{}, errors.New("secret detail")
		}},
	}
}

// roles gives every person of these tests a role by id.
func roles(_ context.Context, m chat.Message) (gate.Role, error) {
	return map[string]gate.Role{owner: gate.Owner, "telegram:50": gate.Admin, member: gate.Member}[m.From.ID], nil
}

func commands(t testing.TB, o gate.CommandOptions) *gate.Commands {
	t.Helper()
	o.Role = roles
	c, err := gate.NewCommands(table(), o)
	must(t, err)
	return c
}

func TestCommands(t *testing.T) {
	h := commands(t, gate.CommandOptions{}).Wrap(&agent{})
	tests := []struct{ who, text, want string }{
		{member, "/status", "status"},
		{member, "/STATUS@ParleyBot", "status"},
		{member, "/st\u200batus", "status"}, // characters that nobody sees
		{member, "\ufeff/sta\x00tus\u202e", "status"},
		{member, "/session info", "session info"},
		{member, "/Session   INFO  ", "session info"},
		{member, "/session\ninfo", "session info"},
		{member, "/session", "/session info"},
		{member, "/session end", "for the administrators"},
		{"telegram:50", "/session end", "session end"},
		{stranger, "/status", "for people my owner has let in"},
		{member, "/forget_me", "forget-me"},
		{member, "/forget-me", "forget-me"},
		{member, "/ask what is  \"two words\" 👨‍👩‍👧?", "ask|text=what is  \"two words\" 👨‍👩‍👧?"},
		{member, "/ask \"quoted whole\"", "ask|text=quoted whole"},
		{member, "/ask text:named", "ask|text=named"},
		{member, "/ask limit:5 stays", "ask|text=limit:5 stays"},
		{member, "/look text:some words id:3", "look|id=3|text=some words"},
		{member, "/look text:abc id:3 set:off", "look|id=3|set=off|text=abc"},
		{member, "/look 3 on words id:4", "look|id=3|set=on|text=words id:4"}, // it was given
		{member, "/look 3 on words set:loud", "look|id=3|set=on|text=words set:loud"},
		{member, "/look text:words id:x", "look|text=words id:x"}, // no number
		{member, "/ask", "I need the text. Usage: `/ask TEXT`"},
		{member, "/ask \u200b \n", "I need the text"},
		{member, "/facts important 3 on", "facts important|id=3|set=on"},
		{member, "/facts important set:off id:3", "facts important|id=3|set=off"},
		{member, "/facts important x", "whole number"},
		{member, "/facts important 3 maybe", "on or off"},
		{member, "/facts important 3 on more", "what to do with more"},
		{member, "/facts important 99999999999999999999", "whole number"},
		{member, "/facts tag 1 work “not quoted” all", "facts tag|as=Work|id=1|text=“not quoted” all"},
		{member, "/facts tag 1 text:x", "facts tag|id=1|text=x"},
		{member, "/facts tag 1 play x", "Work, Home"},
		{member, "/facts lsit", "Did you mean `/facts list`?"},
		{member, "/statsu", "Did you mean `/status`?"},
		{member, "/tool", "I do not know the command /tool. Try /help."}, // not for them
		{owner, "/tool", "Did you mean `/tools`?"},
		{owner, "/xyzzy `@everyone`", "I do not know the command /xyzzy"},
		{member, "/", "I do not know"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			m := direct(tt.who, tt.text)
			m.Kind = chat.KindCommand
			wantText(t, handle(t, h, m), tt.want)
		})
	}
}

func TestNotCommands(t *testing.T) {
	h := commands(t, gate.CommandOptions{}).Wrap(&agent{})
	forwarded := direct(member, "/status")
	forwarded.Forwarded = true
	quoted := direct(member, "what is this?")
	quoted.Quote = "/status"
	path := direct(member, "/etc/passwd")
	path.Kind = chat.KindText
	edited := direct(member, "/status")
	edited.Kind = chat.KindEdit
	button := direct(member, "other:data")
	button.Kind = chat.KindButton
	for _, m := range []chat.Message{forwarded, quoted, path, edited, button} {
		wantText(t, handle(t, h, m), "agent")
	}
}

// TestDenied: whoever may not use a command is told so and nothing changes.
func TestDenied(t *testing.T) {
	var log strings.Builder
	c := commands(t, gate.CommandOptions{
		Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	a := handle(t, c.Wrap(&agent{}), direct(member, "/session end"))
	if a.Private || a.Record != (chat.End{Outcome: chat.Refused, Reason: chat.NoPermission, Command: "session end"}) ||
		!strings.Contains(log.String(), "REFUSAL:MISSING_PERMISSION") {
		t.Errorf("%+v, log %s", a, log.String())
	}
	if a := handle(t, c.Wrap(&agent{}), direct(member, "/tools list")); a.Text == "tools list" || a.Private {
		t.Errorf("%+v", a)
	}
	if a := handle(t, c.Wrap(&agent{}), direct(member, "/facts list")); a.Record != (chat.End{Outcome: chat.Answered,
		Command: "facts list"}) || !a.Private {
		t.Errorf("%+v", a)
	}
}

func TestFailureCarriesAnID(t *testing.T) {
	var log strings.Builder
	c := commands(t, gate.CommandOptions{Log: slog.New(slog.NewJSONHandler(&log, nil))})
	a := handle(t, c.Wrap(&agent{}), direct(member, "/broken"))
	var entry struct{ ID, Error string }
	must(t, json.Unmarshal([]byte(log.String()), &entry))
	if entry.ID == "" || entry.Error != "secret detail" || !strings.Contains(a.Text, entry.ID) || strings.Contains(a.Text, "secret") {
		t.Errorf("said %q, logged %s", a.Text, log.String())
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(chat.ErrDraining)
	if _, err := c.Wrap(&agent{}).Handle(ctx, direct(member, "/broken"), nil); !errors.Is(err, chat.ErrDraining) {
		t.Errorf("draining gave %v", err)
	}
}

func TestHelpAndComplete(t *testing.T) {
	c := commands(t, gate.CommandOptions{})
	for role, want := range map[gate.Role][2]string{gate.Member: {"`/session info`", "/tools"}, gate.Owner: {"`/tools list`", "/nothing"}} {
		if text := c.Help(t.Context(), role, "all"); !strings.Contains(text, want[0]) || strings.Contains(text, want[1]) {
			t.Errorf("help for %s: %s", role, text)
		}
	}
	m := direct(owner, "/help facts important")
	wantText(t, handle(t, c.Wrap(&agent{}), m), "`/facts important ID [on|off]` – mark one")
	for typed, want := range map[string]string{
		"/": "/help /ask /look /status /session /facts /forget-me /broken", "/s": "/status /session", "/session ": "/session info",
		"/session i": "/session info", "/facts important 3 o": "/facts important 3 on,/facts important 3 off",
		"/facts tag 1 h": "/facts tag 1 Home", "/tools ": "", "/help fa": "/help facts", "hello": "", "/nope x": "",
	} {
		m := direct(member, typed)
		got := strings.Join(c.Complete(t.Context(), m, gate.Member), ",")
		if want = strings.ReplaceAll(want, " /", ",/"); got != want {
			t.Errorf("%q completes to %q, want %q", typed, got, want)
		}
	}
}

func TestPage(t *testing.T) {
	lines := strings.Split("a b c d e", " ")
	for page, want := range map[int]string{-1: "a\nb\nPage 1 of 3", 2: "c\nd\nPage 2 of 3", 9: "e\nPage 3 of 3"} {
		if a := gate.Page(t.Context(), lines, page, 2, "/facts list"); a.Text != want {
			t.Errorf("page %d: %q", page, a.Text)
		}
	}
	if a := gate.Page(t.Context(), nil, 1, 2, "/facts list"); a.Text != "" || a.Buttons != nil {
		t.Errorf("nothing: %+v", a)
	}
	a := gate.Page(t.Context(), lines, 2, 2, "/facts list")
	m := direct(member, a.Buttons[0][1].Data)
	m.Kind = chat.KindButton
	wantText(t, handle(t, commands(t, gate.CommandOptions{}).Wrap(&agent{}), m), "facts list|page=3")
}

func TestTableIsChecked(t *testing.T) {
	ok := gate.Command{Name: "a", Help: "b", Run: echo}
	change := func(f func(*gate.Command)) []gate.Command { c := ok; f(&c); return []gate.Command{c} }
	for name, bad := range map[string][]gate.Command{
		"upper case":  change(func(c *gate.Command) { c.Name = "Bad" }),
		"no help":     change(func(c *gate.Command) { c.Help = "" }),
		"no run":      change(func(c *gate.Command) { c.Run = nil }),
		"twice":       {ok, ok},
		"verb's name": change(func(c *gate.Command) { c.Verbs = []gate.Command{{Name: "x y", Help: "b", Run: echo}} }),
		"option's":    change(func(c *gate.Command) { c.Options = []gate.Option{{Name: "x"}} }),
		"no asker": change(func(c *gate.Command) {
			c.Confirm = func(context.Context, gate.Request) (string, error) { return "?", nil }
		}),
	} {
		if _, err := gate.NewCommands(bad, gate.CommandOptions{Role: roles}); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

// FuzzCommand: no text panics, runs what its author may not, or is echoed raw.
func FuzzCommand(f *testing.F) {
	for _, s := range []string{"/", "/ask", "/facts tag id:1 as:work \"x", "/session end", "/\xff\u200b@", "/tools list",
		"/facts important „1“ “on”", "/x `@everyone` <b>"} {
		f.Add(s)
	}
	c := commands(f, gate.CommandOptions{})
	h := c.Wrap(&agent{})
	f.Fuzz(func(t *testing.T, text string) {
		m := direct(member, text)
		m.Kind = chat.KindCommand
		a := handle(t, h, m)
		if a.Text == "" || a.Text == "session end" || strings.HasPrefix(a.Text, "tools ") {
			t.Errorf("%q gave %q", text, a.Text)
		}
		if utf8.ValidString(text) && !utf8.ValidString(a.Text) {
			t.Errorf("%q became %q", text, a.Text)
		}
		for _, line := range c.Complete(t.Context(), m, gate.Member) {
			if strings.HasPrefix(line, "/tools") {
				t.Errorf("%q completes to %q", text, line)
			}
		}
	})
}

// TestMissingOptionIsOffered: what was left out can be picked from a list that
// fits every platform.
func TestMissingOptionIsOffered(t *testing.T) {
	many := func(context.Context, chat.Message, string) (all []string) {
		all = append(all, "with space", strings.Repeat("x", 70))
		for i := range 40 {
			all = append(all, strings.Repeat("n", i+1))
		}
		return all
	}
	rows := func(context.Context, chat.Message) []chat.Choice {
		return []chat.Choice{{Value: "7", Label: "7 – green tea"}, {Value: "12", Label: "12 – buy milk"}}
	}
	c, err := gate.NewCommands([]gate.Command{
		{Name: "row", Help: "one", Run: echo, Options: []gate.Option{{Name: "number", Help: "which", Required: true,
			Kind: gate.Number, Offer: rows}}},
		{Name: "note", Help: "one", Run: echo, Options: []gate.Option{{Name: "text", Help: "what", Required: true, Long: true}}},
		{Name: "pick", Help: "one", Run: echo, Options: []gate.Option{{Name: "name", Help: "which", Required: true, Suggest: many}}},
		{Name: "switch", Help: "one", Private: true, Run: echo, Options: []gate.Option{{Name: "state", Help: "which",
			Required: true, Kind: gate.Switch}}},
		{Name: "two", Help: "one", Run: echo, Options: []gate.Option{{Name: "a", Help: "x", Required: true, Choices: []string{"y"}},
			{Name: "b", Help: "x"}}},
	}, gate.CommandOptions{Role: roles})
	must(t, err)
	h := c.Wrap(&agent{})
	a := handle(t, h, direct(member, "/row"))
	if len(a.Buttons) != 1 || a.Buttons[0][1] != (chat.Button{Label: "12 – buy milk", Data: "/row 12"}) {
		t.Errorf("offered %+v", a)
	}
	for typed, want := range map[string]string{"": "7 12", "1": "12", "mi": "12", "tea": "7", "ilk": ""} {
		var values []string
		for _, choice := range c.Suggest(t.Context(), direct(member, "/row"), "number", typed) {
			values = append(values, choice.Value)
		}
		if got := strings.Join(values, " "); got != want {
			t.Errorf("%q is completed to %q, not %q", typed, got, want)
		}
	}
	long := direct(member, "/note")
	long.Quote = "two\nlines"
	wantText(t, handle(t, h, long), "note|text=two\nlines")
	long.Text = "/note mine"
	wantText(t, handle(t, h, long), "note|text=mine")
	a = handle(t, h, direct(member, "/pick"))
	if len(a.Buttons) != 13 || len(a.Buttons[12]) != 1 || a.Private || a.Buttons[0][0] != (chat.Button{Label: "n", Data: "/pick n"}) {
		t.Errorf("offered %+v", a)
	}
	pressed := direct(member, a.Buttons[1][1].Data)
	pressed.Kind = chat.KindButton
	wantText(t, handle(t, h, pressed), "pick|name=nnnn")
	if a := handle(t, h, direct(member, "/switch")); len(a.Buttons) != 1 || !a.Private || a.Buttons[0][1].Data != "/switch off" {
		t.Errorf("offered %+v", a)
	}
	for who, text := range map[string]string{member: "/two", stranger: "/pick"} {
		if a := handle(t, h, direct(who, text)); a.Buttons != nil || a.Private {
			t.Errorf("%s: offered %+v", text, a)
		}
	}
}
