package gate_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/text/catalog"
)

// TestNobodyMeetsSilence: who is left out somewhere hears what they may still do and whom to
// ask, at most once an hour in each place, and /help is answered in between.
func TestNobodyMeetsSilence(t *testing.T) {
	c := newClock()
	s := store(t, c)
	_, h := front(t, c, gate.GateOptions{Owners: []string{owner}, Allow: []string{member}, Rows: s.Access,
		Door: func(string) string { return "https://t.me/parley_bot" },
		Called: func(_ context.Context, id string) (string, error) {
			return map[string]string{owner: "Olga *x*"}[id], nil
		}})
	in := func(place, who, text string) chat.Message {
		m := group(who, text)
		m.Key.Channel, m.Addressed = place, true
		return m
	}
	for _, place := range []string{"-100", "-200"} {
		must(t, s.Access.SetPolicy(t.Context(), in(place, owner, "").Key, chat.Policy{Who: "owner"}))
	}
	said := handle(t, h, in("-100", member, "hello"))
	for _, want := range []string{"only answer my owner", "Write to me directly", "/help", `my owner (Olga x)`} {
		wantText(t, said, want)
	}
	if len(said.Buttons) != 1 || said.Buttons[0][0].URL != "https://t.me/parley_bot" {
		t.Errorf("no way to the direct chat: %+v", said.Buttons)
	}
	wantText(t, handle(t, h, in("-100", member, "hello?")), "")
	wantText(t, handle(t, h, in("-100", member, "/help")), "Write to me directly")
	wantText(t, handle(t, h, in("-100", member, "/help")), "") // not in a loop
	wantText(t, handle(t, h, in("-200", member, "hello")), "Write to me directly")
	overheard := in("-300", stranger, "hello")
	wantText(t, handle(t, h, overheard), "people my owner has let in")
	overheard.Key.Channel = "-400"
	wantText(t, handle(t, h, overheard), "people my owner has let in")
	wantText(t, handle(t, h, overheard), "")
	overheard.Addressed = false
	c.pass(time.Hour)
	wantText(t, handle(t, h, overheard), "") // nobody asked
	overheard.Addressed = true
	wantText(t, handle(t, h, overheard), "people my owner has let in")
	wantText(t, handle(t, h, in("-100", member, "hello again")), "Write to me directly")
}

// TestPrivateBotNamesTheirID: who is let in by name alone reads in their direct chat what the
// owner needs.
func TestPrivateBotNamesTheirID(t *testing.T) {
	c := newClock()
	_, h := front(t, c, gate.GateOptions{Mode: "allowlist", Owners: []string{owner}})
	wantText(t, handle(t, h, direct(stranger, "hello")), "let you in as `"+stranger+"`")
	m := group(stranger, "hello")
	m.Addressed = true
	if said := handle(t, h, m).Text; said == "" || strings.Contains(said, stranger) {
		t.Errorf("in a group: %q", said)
	}
}

// TestCodeIsToldAgain: a process that does not know that somebody has a code gives them
// another in its place, as often a day as anybody may ask.
func TestCodeIsToldAgain(t *testing.T) {
	c := newClock()
	s := store(t, c)
	start := func() chat.Handler {
		_, h := front(t, c, gate.GateOptions{Owners: []string{owner}, Rows: s.Access})
		return h
	}
	h := start()
	old := codeForm.FindString(handle(t, h, direct(stranger, "hello")).Text)
	wantText(t, handle(t, h, direct(stranger, "hello?")), "already")
	h = start() // an update, or a kill
	again := handle(t, h, direct(stranger, "hello??"))
	fresh := codeForm.FindString(again.Text)
	if fresh == "" || fresh == old || !strings.Contains(again.Text, catalog.Text(t.Context(), "The code that you had before does not work any more.")) {
		t.Errorf("told %q", again.Text)
	}
	wantText(t, handle(t, h, direct(owner, "/pair approve "+old)), "No one is waiting")
	wantText(t, handle(t, start(), direct(stranger, "hello")), "let in")  // the third
	wantText(t, handle(t, start(), direct(stranger, "hello")), "already") // no more than anybody
	wantText(t, handle(t, start(), direct(owner, "/pair list")), stranger)
}
