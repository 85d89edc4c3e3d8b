package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/text/waittest"
	"parley/internal/tools"
)

// late is a fake that is reached only after a while: before, a dial hangs or is refused.
func late(f *fake, ready time.Duration, hangs bool) dialer {
	at := time.Now().Add(ready)
	return func(ctx context.Context) (sdk.Transport, func(), error) {
		left := time.Until(at)
		if left > 0 && !hangs {
			return nil, nil, errors.New("refused")
		}
		select {
		case <-time.After(left):
			return f.dial(ctx)
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

// TestAwait: a server is waited for while it starts or comes back, and no longer than it may
// take; one that is there is there at once, and an unknown one is not.
func TestAwait(t *testing.T) {
	for _, tt := range []struct {
		name     string
		ready    time.Duration
		hangs    bool
		tool     string
		want     bool
		min, max time.Duration
	}{
		{"hangs while it starts", 6 * time.Second, true, "fake__ok", true, 3 * time.Second, 5 * time.Second},
		{"refuses while it starts", 6 * time.Second, false, "fake__ok", true, 3 * time.Second, 6 * time.Second},
		{"never comes", time.Hour, false, "fake__ok", false, awaitLimit, awaitLimit},
		{"is there", 0, true, "fake__ok", true, 0, 0},
		{"of no server", time.Hour, true, "ok", false, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				f.add("ok", "answers", says("fine"))
				c, _ := live(t, Options{Servers: []Server{server("fake")}, Dir: t.TempDir()}, late(f, tt.ready, tt.hangs))
				settle()
				start := time.Now()
				got, took := c.Await(t.Context(), tt.tool), time.Since(start)
				if got != tt.want || took < tt.min || took > tt.max {
					t.Errorf("%t after %v", got, took)
				}
				if got && c.Set().Len() == 0 {
					t.Error("its tools are not offered")
				}
			})
		})
	}
}

// TestAwaitAfterALoss: a server that was lost a moment ago is waited for; one that has been
// away for long is not, and neither is one whose caller has left.
func TestAwaitAfterALoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.add("ok", "answers", says("fine"))
		c := begin(t, t.TempDir(), []Server{server("fake")}, f)
		f.last()()
		synctest.Wait()
		if !c.Await(t.Context(), "fake__ok") {
			t.Error("it was not waited for")
		}
		c.remotes[0].dial = late(f, 2*time.Hour, false)
		f.last()()
		synctest.Wait()
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		start := time.Now()
		if c.Await(gone, "fake__ok") || time.Since(start) > 0 {
			t.Error("it was waited for by nobody")
		}
		waittest.Pass(2 * defaultStart)
		start = time.Now()
		if c.Await(t.Context(), "fake__ok") || time.Since(start) > 0 {
			t.Errorf("it was waited for again, %v", time.Since(start))
		}
	})
}

// alone makes a server do one thing at a time, as many do.
func (f *fake) alone() {
	turn := make(chan struct{}, 1)
	f.server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			if method == "subscriptions/listen" { // it lasts as long as the client
				return next(ctx, method, r)
			}
			turn <- struct{}{}
			defer func() { <-turn }()
			return next(ctx, method, r)
		}
	})
}

// Whoever looks at the tools while a server that does one thing at a time works
// on a call sees what was known and does not end the server; nor does who stops
// waiting for the call.
func TestLookingAtABusyServer(t *testing.T) {
	for name, patience := range map[string]time.Duration{"waited for": time.Minute, "stopped": 3 * time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				f.alone()
				var done atomic.Int32
				f.add("work", "takes its time", func() (*sdk.CallToolResult, error) {
					waittest.Take(context.Background(), 20*time.Second)
					done.Add(1)
					return says("done")()
				})
				c := begin(t, t.TempDir(), []Server{server("fake")}, f)
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				var r tools.Runner
				out := make(chan tools.Outcome, 1)
				go func() { out <- r.Run(ctx, c.Set(), tools.Call{Name: "fake__work", Args: json.RawMessage(`{}`)}) }()
				for range 40 {
					c.Look()
					waittest.Pass(time.Second)
					if s := c.Status()[0]; offered(c) != "fake__work" {
						t.Fatalf("offered %q: %s", offered(c), s.Err)
					}
				}
				if o := <-out; patience == time.Minute && o.Class != "" {
					t.Errorf("%s %s", o.Class, o.Result.Content)
				}
				if f.count() != 1 || done.Load() != 1 {
					t.Errorf("connected %d times, done %d times", f.count(), done.Load())
				}
				f.add("new", "came meanwhile", says("1")) // looks go on afterwards
				settle()
				if n := len(c.Status()[0].Pending); n != 1 {
					t.Errorf("%d new tools are seen", n)
				}
			})
		})
	}
}

// unread is a connection whose other end stops reading when it is told to.
type unread struct {
	sdk.Transport
	sdk.Connection
	stuck  *atomic.Bool
	closed chan struct{}
}

func (u unread) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := u.Transport.Connect(ctx)
	u.Connection = c
	return u, err
}

// Write blocks as a full pipe does, whatever its context says.
func (u unread) Write(ctx context.Context, m jsonrpc.Message) error {
	if u.stuck.Load() {
		<-u.closed
		return io.ErrClosedPipe
	}
	return u.Connection.Write(ctx, m)
}

// A server that stops reading is hung up on and reached anew, whether it is
// looked at or called, and does not hold up the end.
func TestServerThatStopsReading(t *testing.T) {
	for name, touch := range map[string]func(t *testing.T, c *Client){
		"looked at": func(_ *testing.T, c *Client) { c.Look() },
		"called": func(t *testing.T, c *Client) {
			if o := run(t, c, "fake__a", `{}`); o.Class != tools.Unsure || o.Duration > callTimeout {
				t.Errorf("%s after %v", o.Class, o.Duration)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				f.add("a", "first", says("1"))
				var stuck *atomic.Bool
				dial := func(ctx context.Context) (sdk.Transport, func(), error) {
					transport, hangUp, err := f.dial(ctx)
					stuck = &atomic.Bool{}
					u := unread{Transport: transport, stuck: stuck, closed: make(chan struct{})}
					return u, func() { close(u.closed); hangUp() }, err
				}
				c, stop := live(t, Options{Servers: []Server{server("fake")}, Dir: t.TempDir()}, dial)
				settle()
				stuck.Store(true)
				touch(t, c)
				waittest.Pass(callTimeout + 2*listTimeout)
				if f.count() != 2 || offered(c) != "fake__a" {
					t.Errorf("connected %d times, offered %q", f.count(), offered(c))
				}
				if o := run(t, c, "fake__a", `{}`); o.Class != "" {
					t.Errorf("the next call: %+v", o)
				}
				stuck.Store(true)
				c.Look()
				waittest.Pass(time.Second)
				began := time.Now()
				stop()
				if took := time.Since(began); took > 2*goodbye {
					t.Errorf("the end took %v", took)
				}
			})
		})
	}
}
