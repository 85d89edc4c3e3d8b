package mcp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/text/waittest"
)

// loaded is a machine on which n starts at once take n times as long.
type loaded struct {
	mu sync.Mutex // guards at
	at int        // programs that start now
}

// start returns when a program has had its seconds of the machine, or ctx ends.
func (m *loaded) start(ctx context.Context, seconds float64) error {
	m.mu.Lock()
	m.at++
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.at--
	}()
	for second := time.NewTicker(time.Second); seconds > 0; <-second.C {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		m.mu.Lock()
		seconds -= 1 / float64(m.at)
		m.mu.Unlock()
	}
	return nil
}

// starting has a fake need seconds of m before it answers.
func (f *fake) starting(m *loaded, seconds float64) *fake {
	f.add("ok", "answers", says("fine"))
	var ups sync.Map // by session, what is closed when it is up
	f.server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			mine := make(chan struct{})
			if up, others := ups.LoadOrStore(r.GetSession(), mine); others {
				<-up.(chan struct{})
				return next(ctx, method, r)
			}
			err := m.start(ctx, seconds)
			if close(mine); err != nil {
				return nil, err
			}
			return next(ctx, method, r)
		}
	})
	return f
}

// TestManyServersStartOnABusyMachine: at once, none of them would be ready in its time.
func TestManyServersStartOnABusyMachine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m loaded
		var servers []Server
		var dialers []dialer
		for i := range 11 {
			servers = append(servers, server(fmt.Sprintf("s%d", i)))
			dialers = append(dialers, newFake().starting(&m, 9).dial)
		}
		c, _ := live(t, Options{Servers: servers, Dir: t.TempDir(), AtOnce: 3}, dialers...)
		waittest.Pass(3 * time.Minute)
		for _, s := range c.Status() {
			if !s.Connected || s.Err != "" {
				t.Errorf("%s: %+v", s.Server, s)
			}
		}
	})
}

// TestAProgramThatHangsHoldsUpTheNextForAWhile, and not for all of its time.
func TestAProgramThatHangsHoldsUpTheNextForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m loaded
		f := newFake().starting(&m, 5)
		c, _ := live(t, Options{Servers: []Server{server("hangs"), server("fine")}, Dir: t.TempDir(), AtOnce: 1},
			late(newFake(), time.Hour, true), f.dial)
		began := time.Now()
		started := false
		for range 2 { // one wait is shorter than what the other server takes
			started = started || c.Await(t.Context(), "fine__ok")
		}
		if !started {
			t.Fatal("it never started")
		}
		if took := time.Since(began); took > turnLimit+7*time.Second {
			t.Errorf("it started after %v", took)
		}
	})
}

// TestAServerHasTheTimeThatItsOwnerGives, and its error says which setting that is.
func TestAServerHasTheTimeThatItsOwnerGives(t *testing.T) {
	for _, tt := range []struct {
		needs float64
		start time.Duration
		up    bool
	}{
		{80, 0, true}, {100, 0, false}, {100, 2 * time.Minute, true}, {20, 10 * time.Second, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			var m loaded
			s := server("fake")
			s.Start = tt.start
			c, _ := live(t, Options{Servers: []Server{s}, Dir: t.TempDir()}, newOlderFake().starting(&m, tt.needs).dial)
			waittest.Pass(time.Duration(tt.needs+2) * time.Second)
			if got := c.Status()[0]; got.Connected != tt.up || (got.Err == "") != tt.up {
				t.Errorf("%+v: %+v", tt, got)
			}
		})
	}
}

// TestServersThatFailTogetherComeBackApart: in step they would fail together again.
func TestServersThatFailTogetherComeBackApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		dialled := map[time.Time]int{}
		var servers []Server
		var dialers []dialer
		for i := range 5 {
			servers = append(servers, server(fmt.Sprintf("s%d", i)))
			dialers = append(dialers, func(context.Context) (sdk.Transport, func(), error) {
				mu.Lock()
				defer mu.Unlock()
				dialled[time.Now()]++
				return nil, nil, errors.New("no memory")
			})
		}
		began := time.Now()
		live(t, Options{Servers: servers, Dir: t.TempDir(), AtOnce: 5}, dialers...)
		waittest.Pass(5 * time.Minute)
		mu.Lock()
		defer mu.Unlock()
		for at, n := range dialled {
			if n > 1 && at.After(began) {
				t.Errorf("%d at once, %v after the first", n, at.Sub(began))
			}
		}
	})
}
