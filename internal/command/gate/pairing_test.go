package gate_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/command/gate"
)

var codeForm = regexp.MustCompile(`[A-Z2-9]{5}-[A-Z2-9]{5}`)

// front is gate and commands before an agent, as the bot wires them.
func front(t *testing.T, c *clock, o gate.GateOptions) (*gate.Gate, chat.Handler) {
	t.Helper()
	if o.Rows == nil {
		o.Rows = store(t, c).Access
	}
	o.Now = c.now
	g := newGate(t, o)
	cmds, err := gate.NewCommands(g.Commands(), gate.CommandOptions{Role: g.Role})
	must(t, err)
	return g, g.Wrap(cmds.Wrap(&agent{}))
}

func TestPairing(t *testing.T) {
	c := newClock()
	_, h := front(t, c, gate.GateOptions{Owners: []string{owner}})
	first := handle(t, h, direct(stranger, "hello"))
	code := codeForm.FindString(first.Text)
	if code == "" {
		t.Fatalf("no code in %q", first.Text)
	}
	wantText(t, handle(t, h, direct(stranger, "hello?")), "already")
	wantText(t, handle(t, h, direct(stranger, "hello??")), "")
	wantText(t, handle(t, h, direct(stranger, "/pair approve "+code)), "") // still a stranger
	wantText(t, handle(t, h, direct(owner, "/pair list")), stranger)
	wantText(t, handle(t, h, direct(owner, "/pair approve "+strings.ToLower(strings.ReplaceAll(code, "-", " ")))), stranger)
	wantText(t, handle(t, h, direct(stranger, "hello")), "agent")
	wantText(t, handle(t, h, direct(stranger, "/pair list")), "for my owner")
	wantText(t, handle(t, h, direct(owner, "/pair approve "+code)), "No one is waiting") // single use
	wantText(t, handle(t, h, direct(owner, "/pair revoke "+stranger)), "nothing granted")
	if a := handle(t, h, direct(stranger, "hello")); codeForm.FindString(a.Text) == code {
		t.Error("the code came again")
	}
}

func TestPairingLimits(t *testing.T) {
	c := newClock()
	g, h := front(t, c, gate.GateOptions{Owners: []string{owner}})
	var wg sync.WaitGroup
	var codes atomic.Int32
	for i := range 20 {
		wg.Go(func() {
			if a := handle(t, h, direct(fmt.Sprintf("telegram:%d", 100+i), "hi")); codeForm.MatchString(a.Text) {
				codes.Add(1)
			}
		})
	}
	wg.Wait()
	if codes.Load() != 20 {
		t.Errorf("%d codes are out", codes.Load())
	}
	// However many strangers ask, the next one is heard, and the oldest goes.
	late := direct("telegram:500", "hi")
	if a := handle(t, h, late); !codeForm.MatchString(a.Text) {
		t.Errorf("strangers keep others out: %q", a.Text)
	}
	if waiting, err := g.Waiting(t.Context()); err != nil || len(waiting) != 20 {
		t.Errorf("%d wait, %v", len(waiting), err)
	}
	wantText(t, handle(t, h, direct(owner, "/pair drop telegram:500")), "is gone")
	wantText(t, handle(t, h, direct(owner, "/pair drop telegram:500")), "not waiting")
	for i := range 3 { // and asks again, a few times a day
		a := handle(t, h, late)
		if got := codeForm.MatchString(a.Text); got != (i < 2) {
			t.Errorf("asks again %d times: %q", i+1, a.Text)
		}
		_, err := g.Drop(t.Context(), "telegram:500")
		must(t, err)
	}
	if a := handle(t, h, direct("discord:500", "hi")); !codeForm.MatchString(a.Text) {
		t.Errorf("another platform waits too: %q", a.Text)
	}
	c.pass(25 * time.Hour)
	if a := handle(t, h, late); !codeForm.MatchString(a.Text) {
		t.Errorf("after a day: %q", a.Text)
	}
	anonymous := group(anon, "hi")
	anonymous.Addressed = true
	wantText(t, handle(t, h, anonymous), "")
}

func TestPairingCodeExpires(t *testing.T) {
	c := newClock()
	_, h := front(t, c, gate.GateOptions{Owners: []string{owner}})
	code := codeForm.FindString(handle(t, h, direct(stranger, "hi")).Text)
	c.pass(time.Hour)
	wantText(t, handle(t, h, direct(owner, "/pair approve "+code)), "No one is waiting")
	for range 4 {
		wantText(t, handle(t, h, direct(owner, "/pair approve AAAAA-AAAAA")), "No one")
	}
	wantText(t, handle(t, h, direct(owner, "/pair approve AAAAA-AAAAA")), "Too many")
}

// TestClaimBruteForce: guesses are counted, and locked out
// before the right one would count.
func TestClaimBruteForce(t *testing.T) {
	c := newClock()
	g, h := front(t, c, gate.GateOptions{})
	code, err := g.ClaimCode(t.Context())
	must(t, err)
	if !codeForm.MatchString(code) {
		t.Fatalf("code %q", code)
	}
	var wg sync.WaitGroup
	var wrong, locked atomic.Int32
	for i := range 300 {
		wg.Go(func() {
			a, err := h.Handle(t.Context(), direct(stranger, fmt.Sprintf("/claim AAAAA-%05d", i)), nil)
			switch {
			case err != nil:
				t.Error(err)
			case strings.Contains(a.Text, "does not work"):
				wrong.Add(1)
			case strings.Contains(a.Text, "Too many"):
				locked.Add(1)
			}
		})
	}
	wg.Wait()
	if wrong.Load() != 5 || locked.Load() != 295 {
		t.Errorf("%d looked at, %d locked out", wrong.Load(), locked.Load())
	}
	wantText(t, handle(t, h, direct(stranger, "/claim "+code)), "Too many")
	in := group(member, "/claim "+code) // never in a channel
	if a := handle(t, h, in); strings.Contains(a.Text, "own this bot") {
		t.Error("claimed in a channel")
	}
	c.pass(time.Hour)
	wantText(t, handle(t, h, direct(stranger, "/CLAIM "+strings.ToLower(code))), "You own this bot")
	wantText(t, handle(t, h, direct(stranger, "/pair list")), stranger+": owner")
	if again, err := g.ClaimCode(t.Context()); err != nil || again != "" {
		t.Errorf("an owned bot gave out %q, %v", again, err)
	}
}

func TestClaimHasOneWinner(t *testing.T) {
	c := newClock()
	g, _ := front(t, c, gate.GateOptions{})
	code, err := g.ClaimCode(t.Context())
	must(t, err)
	var wg sync.WaitGroup
	var won atomic.Int32
	for i := range 20 {
		wg.Go(func() {
			err := g.Claim(t.Context(), chat.User{ID: fmt.Sprintf("telegram:%d", i+1)}, code)
			switch {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, gate.ErrCode) && !errors.Is(err, gate.ErrOwned):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("%d owners", won.Load())
	}
}

func TestClaimIsNotForEverybody(t *testing.T) {
	c := newClock()
	s := store(t, c)
	must(t, s.Access.Grant(t.Context(), barred, "denied", owner))
	g, h := front(t, c, gate.GateOptions{Rows: s.Access})
	code, err := g.ClaimCode(t.Context())
	must(t, err)
	forwarded := direct(stranger, "/claim "+code)
	forwarded.Forwarded = true
	for _, m := range []chat.Message{forwarded, direct(barred, "/claim "+code), direct(anon, "/claim "+code),
		direct("telegram:777000", "/claim "+code)} {
		if a := handle(t, h, m); strings.Contains(a.Text, "own this bot") {
			t.Errorf("claimed by %+v", m)
		}
	}
	older := code
	code, err = g.ClaimCode(t.Context()) // the next start
	must(t, err)
	wantText(t, handle(t, h, direct(stranger, "/claim "+older)), "does not work")
	wantText(t, handle(t, h, direct(stranger, "/claim "+code)), "You own")
}
