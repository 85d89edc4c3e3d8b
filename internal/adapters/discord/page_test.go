package discord

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/discord/restraint"
	"parley/internal/chat"
)

// wound winds the clock of a connected adapter, or gives one that does not run its own.
func wound(a *Adapter) (forward func(d time.Duration)) {
	ahead, running := clocks.LoadOrStore(a, new(atomic.Int64))
	if !running {
		a.now = func() time.Time { return time.Now().Add(time.Duration(ahead.(*atomic.Int64).Load())) }
	}
	return func(d time.Duration) { ahead.(*atomic.Int64).Add(int64(d)) }
}

func partTo(channel, text string) chat.Part {
	return chat.Part{Key: chat.Key{Platform: Platform, Channel: channel}, Text: text, Nonce: channel + text,
		Sending: chat.Sending{At: time.Now()}}
}

// TestPagesPauseEverything: a route that answers with a page of HTML is asked a
// few times in ten minutes, by however many; everything else waits, too, no
// part is given up, it is said so, and afterwards all goes on.
func TestPagesPauseEverything(t *testing.T) {
	t.Parallel()
	for _, status := range []int{429, 403, 401, 404, 502, 200} {
		s, in := fake(t), newIntake()
		a, _ := connected(t, in, s)
		forward := wound(a)
		s.Fail(discordtest.Fault{Path: "/channels/", Status: status, Page: true, Times: 1 << 30})
		before := len(s.Calls("", "/"))
		for range 600 {
			for lane := range 5 {
				_, err := a.Send(context.Background(), partTo(fmt.Sprint(50+lane), "x"))
				var gone *chat.GoneError
				var wait *chat.WaitError
				if errors.As(err, &gone) || err == nil {
					t.Fatalf("status %d: a part is given up: %v", status, err)
				}
				if !errors.As(err, &wait) && !errors.Is(err, chat.ErrUnknownOutcome) {
					t.Fatalf("status %d: %v", status, err)
				}
			}
			_ = a.Typing(context.Background(), chat.Message{Key: chat.Key{Platform: Platform, Channel: "50"}})
			forward(time.Second)
		}
		n := len(s.Calls("", "/")) - before
		t.Logf("status %d: %d requests in 10 minutes", status, n)
		if n > 60 || n < 3 {
			t.Errorf("status %d: %d requests in 10 minutes", status, n)
		}
		if err := a.Health(); err == nil || errors.As(err, new(*chat.DegradedError)) || !strings.Contains(err.Error(), fmt.Sprint(status)) {
			t.Errorf("status %d: health is %v", status, err)
		}
		if err := a.Register(context.Background(), chat.Menu{}); err == nil {
			t.Errorf("status %d: another route is not paused", status)
		}
		s.Heal()
		forward(restraint.PageMost)
		for lane := range 5 {
			if _, err := a.Send(context.Background(), partTo(fmt.Sprint(50+lane), "x")); err != nil {
				t.Errorf("status %d: afterwards: %v", status, err)
			}
		}
		if err := a.Health(); err != nil || len(s.Sent()) != 5 {
			t.Errorf("status %d: afterwards: health %v, %d sent", status, err, len(s.Sent()))
		}
	}
}

// TestOneBadRoute: a route that answers with pages while others do well is
// asked less and less, too.
func TestOneBadRoute(t *testing.T) {
	s, _, a := live(t)
	forward := wound(a)
	s.Fail(discordtest.Fault{Path: "/channels/66/", Status: 403, Page: true, Times: 1 << 30})
	good := 0
	for i := range 600 {
		_, _ = a.Send(context.Background(), partTo("66", "x"))
		if _, err := a.Send(context.Background(), partTo("50", fmt.Sprint(i))); err == nil {
			good++
		}
		forward(time.Second)
	}
	n := len(s.Calls("POST", "/channels/66/"))
	t.Logf("%d requests to the bad route, %d good ones", n, good)
	if n > 60 || good < 500 {
		t.Errorf("%d requests to the bad route, %d good ones", n, good)
	}
}

// TestRefusalsAreBounded: however many requests are refused, and for whatever
// reason, an address stays far below what gets it banned.
func TestRefusalsAreBounded(t *testing.T) {
	s, _, a := live(t)
	forward := wound(a)
	s.Fail(discordtest.Fault{Path: "/channels/", Status: 403, Code: 50001, Times: 1 << 30})
	before := len(s.Calls("", "/"))
	for range 59 {
		for i := range 100 {
			_, _ = a.Send(context.Background(), partTo(fmt.Sprint(i), "x"))
		}
		forward(10 * time.Second)
	}
	n := len(s.Calls("", "/")) - before
	if n > restraint.MaxInvalid || a.Health() == nil {
		t.Errorf("%d requests were refused in ten minutes, health %v", n, a.Health())
	}
	s.Heal()
	forward(12 * time.Minute)
	if _, err := a.Send(context.Background(), partTo("50", "x")); err != nil || a.Health() != nil {
		t.Errorf("afterwards: %v, health %v", err, a.Health())
	}
}

// TestLimitsWithoutATime: a 429 that does not say for how long is no invitation.
func TestLimitsWithoutATime(t *testing.T) {
	s, _, a := live(t)
	forward := wound(a)
	s.Fail(discordtest.Fault{Path: "/channels/50/", Status: 429, Times: 1 << 30, Bare: true})
	for range 600 {
		_, _ = a.Send(context.Background(), partTo("50", "x"))
		forward(time.Second)
	}
	if n := len(s.Calls("POST", "/channels/50/")); n > 60 {
		t.Errorf("%d requests in ten minutes", n)
	}
}

// TestPagedGateway: pages where the gateway's address is asked for do not make
// it asked faster.
func TestPagedGateway(t *testing.T) {
	t.Parallel()
	s := fake(t)
	s.Fail(discordtest.Fault{Path: "/gateway", Status: 403, Page: true, Times: 1 << 30})
	a, err := New(Options{Token: discordtest.Token, APIURL: s.URL(), Timing: Timing{RetryMin: time.Millisecond, RetryMax: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = a.Run(ctx, newIntake()) }()
	defer func() { cancel(); <-done }()
	until(t, "asked", func() bool { return len(s.Calls("GET", "/gateway")) > 0 })
	until(t, "red", func() bool { return a.Health() != nil && strings.Contains(a.Health().Error(), "403") })
	if s.Wait(time.Second, func() bool { return len(s.Calls("GET", "/gateway")) > 2 }) {
		t.Error("asked again at once")
	}
}

// TestAPageAboutARequestPausesItsRoute: interactions have three seconds, and do not wait for
// a route that is not there.
func TestAPageAboutARequestPausesItsRoute(t *testing.T) {
	s, _, a := live(t)
	s.Fail(discordtest.Fault{Path: "/channels/66/", Status: 404, Page: true, Times: 1 << 30})
	for i := range 20 {
		if _, err := a.Send(context.Background(), partTo("66", "x")); err == nil {
			t.Fatal("a page is an answer")
		}
		if _, err := a.Send(context.Background(), partTo("50", fmt.Sprint(i))); err != nil {
			t.Fatalf("another route waits: %v", err)
		}
	}
	if n := len(s.Calls("POST", "/channels/66/")); n != 1 {
		t.Errorf("the route that is not there was asked %d times at once", n)
	}
	if err := a.Health(); !errors.As(err, new(*chat.DegradedError)) {
		t.Errorf("health is %v", err)
	}
}
