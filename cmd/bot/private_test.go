package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/config"
	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/app"
	"parley/internal/command/gate"
)

// What is said in company about an answer that is given elsewhere.
const (
	saidAside  = "That answer is for you alone"
	askedAside = "Shall I really do that ("
)

// privateUses returns all private commands and verbs, as they are typed.
func privateUses(t *testing.T) (uses []string) {
	cfg := config.Default()
	cfg.DataDir = filepath.Join(t.TempDir(), "data")
	commands, err := app.Commands(t.Context(), cfg)
	must(t, err)
	fill := func(path string, options []gate.Option) string {
		for _, o := range options {
			switch {
			case !o.Required:
			case len(o.Choices) > 0:
				path += " " + o.Choices[0]
			case o.Kind == gate.Number:
				path += " 1"
			case o.Kind == gate.Switch:
				path += " on"
			default:
				path += " zz"
			}
		}
		return path
	}
	for _, c := range commands.Table() {
		if c.When != nil && !c.When() {
			continue // with these settings there is no such command
		}
		if c.Private && c.Run != nil {
			uses = append(uses, fill("/"+c.Name, c.Options))
		}
		for _, v := range c.Verbs {
			if c.Private || v.Private {
				uses = append(uses, fill("/"+c.Name+" "+v.Name, v.Options))
			}
		}
	}
	return uses
}

// overheard returns the texts that everybody in a place of many can read, and alone how
// many messages only person 1 can.
func (w *world) overheard() (open []string, alone int) {
	for _, m := range w.tg.Sent() {
		switch {
		case m.Deleted:
		case m.Chat < 0:
			open = append(open, m.Text)
		case m.Chat == 1:
			alone++
		}
	}
	for _, m := range w.dc.Sent() {
		channel, only := w.dc.Readers(m)
		switch {
		case m.Deleted:
		case only == "" && channel != "10":
			open = append(open, m.Content)
		case only == "1" || channel == "10":
			alone++
		}
	}
	return open, alone
}

// TestPrivateIsReadByOne: the answer to every private command, on each front
// end, typed, picked or pressed in company, can be read by nobody but who asked;
// the others read a sentence that says where it went.
func TestPrivateIsReadByOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "BOT_ACCESS_OWNERS=telegram:1,discord:1").onDiscord()
	w.serve(t)
	w.tg.AddChat(1)
	w.tg.Push(telegramtest.Text(-100, 1, "/status"))
	w.dc.Message("77", "50", "1", "<@9000> /status")
	eventually(t, "two boards with buttons", func() bool { return len(w.tg.Sent()) > 0 && len(w.dc.Sent()) > 0 })
	board, pad := w.dc.Sent()[0].ID, w.tg.Sent()[0].ID
	ways := map[string]func(use string, n int){
		"telegram typed":   func(use string, _ int) { w.tg.Push(telegramtest.Text(-100, 1, use)) },
		"telegram pressed": func(use string, n int) { w.tg.Push(telegramtest.Press(-100, 1, pad, fmt.Sprint("q", n), use)) },
		"discord typed":    func(use string, _ int) { w.dc.Message("77", "50", "1", "<@9000> "+use) },
		"discord pressed":  func(use string, _ int) { w.dc.Press("77", "50", "1", board, use) },
		"discord picked": func(use string, _ int) {
			w.dc.Interaction(discordtest.Use{Guild: "77", Channel: "50", User: "1", Command: strings.TrimPrefix(use, "/")})
		},
	}
	first, _ := w.overheard()
	cases := 0
	for _, use := range privateUses(t) {
		for name, by := range ways {
			if name == "discord picked" && strings.Count(use, " ") > 1 {
				continue // options have names there; the typed form covers them
			}
			before, alone := w.overheard()
			asked := strings.Count(strings.Join(before, "\n"), askedAside)
			by(use, cases)
			cases++
			eventually(t, name+" "+use+" is answered", func() bool {
				open, now := w.overheard()
				return now > alone || strings.Count(strings.Join(open, "\n"), askedAside) > asked
			})
		}
	}
	open, _ := w.overheard()
	for _, text := range open {
		if !slices.Contains(first, text) && !strings.HasPrefix(text, saidAside) && !strings.HasPrefix(text, askedAside) {
			t.Errorf("everybody reads %q", text)
		}
	}
	t.Logf("%d cases", cases)
	if cases < 100 {
		t.Errorf("only %d cases", cases)
	}
}

// TestPrivateAnswerWaitsForTheDoor: whom the bot may not write to is told so
// where they asked, with a button that opens the direct chat, and gets the
// answer once it is open.
func TestPrivateAnswerWaitsForTheDoor(t *testing.T) {
	t.Parallel()
	for _, closed := range []string{"never opened", "blocked"} {
		t.Run(closed, func(t *testing.T) {
			w := newWorld(t)
			w.run(t)
			if closed == "blocked" {
				w.tg.AddChat(5)
				w.tg.Block(5, "Forbidden: bot was blocked by the user")
			}
			w.tg.Push(telegramtest.Text(-100, 5, "/facts"))
			eventually(t, "a word in the group", func() bool { return len(w.tg.Sent()) == 1 })
			got := w.tg.Sent()[0]
			if got.Chat != -100 || !strings.HasPrefix(got.Text, saidAside) || len(got.Buttons) != 1 ||
				!strings.HasPrefix(got.Buttons[0][0].URL, "https://t.me/") {
				t.Fatalf("the group reads %+v", got)
			}
			eventually(t, "the answer was tried", func() bool {
				for _, c := range w.tg.Calls("sendMessage") {
					if c.Chat == 5 {
						return true
					}
				}
				return false
			})
			w.tg.Block(5, "")
			w.tg.Push(telegramtest.Text(5, 5, "/start answer"))
			eventually(t, "the greeting and the answer", func() bool { return len(w.tg.Sent()) == 3 })
			rest := w.tg.Sent()[1:] // what waits is tried again by itself, too, perhaps before the greeting
			if !slices.ContainsFunc(rest, func(m telegramtest.SentMessage) bool {
				return m.Chat == 5 && strings.Contains(m.Text, "nothing about you")
			}) {
				t.Errorf("what waited: %+v", rest)
			}
		})
	}
}

// TestPrivateAnswerNeedsNoNotice: where the direct chat is open, nothing is said in the
// group about an answer that goes there, also once our name comes before the command.
func TestPrivateAnswerNeedsNoNotice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tg.AddChat(-100)
	w.run(t)
	w.answered(t, 5, 5, "hello")
	for _, text := range []string{"/facts", "/facts list", "@parley_bot /facts list"} {
		n := len(w.in(5))
		w.tg.Push(telegramtest.Text(-100, 5, text))
		eventually(t, "an answer to "+text, func() bool { return len(w.in(5)) > n })
		if got := w.in(5)[n].Text; !strings.Contains(got, "nothing about you") {
			t.Errorf("%s: %s", text, got)
		}
	}
	w.settled(t)
	if got := w.in(-100); len(got) != 0 {
		t.Errorf("the group reads %+v", got)
	}
}

// TestHelpInCompany: what is no secret is answered where it was asked, even to
// somebody the bot may not write to.
func TestHelpInCompany(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(t)
	for i, text := range []string{"/help", "/nothing", "/page"} {
		w.tg.Push(telegramtest.Text(-100, 5, text))
		eventually(t, text, func() bool { return len(w.tg.Sent()) == i+1 })
		if got := w.tg.Sent()[i]; got.Chat != -100 || strings.HasPrefix(got.Text, saidAside) {
			t.Errorf("%s: %+v", text, got)
		}
	}
}
