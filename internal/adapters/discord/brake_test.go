package discord

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/chat"
)

// supervised starts adapters one after the other on the same notes, as a supervisor does.
type supervised struct {
	s     *discordtest.Server
	in    *intake
	clock atomic.Int64 // how far it is ahead
}

// start runs an adapter until it gives up, connects or waits, and returns why, nil when it
// connected.
func (p *supervised) start(t *testing.T, o Options) error {
	t.Helper()
	o.APIURL, o.Timing = p.s.URL(), Timing{Open: 3 * time.Second, Identify: time.Millisecond}
	o.Now = func() time.Time { return time.Now().Add(time.Duration(p.clock.Load())) }
	a, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx, p.in) }()
	var gaveUp error
	until(t, "it gives up, connects or waits", func() bool {
		select {
		case gaveUp = <-done:
			done <- gaveUp
			return true
		default:
		}
		health := a.Health()
		return health == nil || strings.Contains(health.Error(), "tried again at")
	})
	health := a.Health()
	cancel()
	<-done
	if gaveUp != nil {
		return gaveUp
	}
	return health
}

// TestRefusedSessionsAreRare: however often a supervisor starts a bot that Discord refuses,
// sessions begin three minutes apart. What was changed here is tried at once, and what was
// changed at Discord with the next session; then all is as it was.
func TestRefusedSessionsAreRare(t *testing.T) {
	t.Parallel()
	for _, code := range []int{4004, 4013, 4014} {
		p := &supervised{s: fake(t), in: newIntake()}
		p.s.RefuseWith(code)
		usual := Options{Token: discordtest.Token}
		for range 33 { // of 60 s each: more than half an hour
			err := p.start(t, usual)
			var refused *chat.RefusedError
			if err == nil || !strings.Contains(err.Error(), fixes[code]) || errors.As(err, &refused) &&
				strings.Contains(err.Error(), "tried again") {
				t.Fatalf("code %d: %v", code, err)
			}
			p.clock.Add(int64(time.Minute))
		}
		if n := p.s.Identifies(); n < 10 || n > 11 {
			t.Errorf("code %d: %d sessions in 33 minutes", code, n)
		}
		n := p.s.Identifies()
		if _ = p.start(t, Options{Token: discordtest.Token, Shards: 1}); p.s.Identifies() != n+1 {
			t.Errorf("code %d: other settings wait too", code)
		}
		p.s.RefuseWith(0)
		p.clock.Add(int64(3 * time.Minute))
		for range 3 { // also with new sessions
			if err := p.start(t, usual); err != nil {
				t.Errorf("code %d: mended, and yet %v", code, err)
			}
			p.s.Invalidate()
		}
	}
}

// TestHundredRestarts: a supervisor that waits five seconds.
func TestHundredRestarts(t *testing.T) {
	t.Parallel()
	p := &supervised{s: fake(t), in: newIntake()}
	p.s.RefuseWith(4014)
	for range 100 {
		if err := p.start(t, Options{Token: discordtest.Token}); err == nil {
			t.Fatal("connected")
		}
		p.clock.Add(int64(5 * time.Second))
	}
	if n := p.s.Identifies(); n > 4 {
		t.Errorf("%d sessions in 100 restarts, which took 500 s", n)
	}
	for _, note := range p.in.cursors {
		if strings.Contains(note, discordtest.Token) {
			t.Error("the token is in a note")
		}
	}
}
