package mcp

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
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
		{"never comes", time.Hour, false, "fake__ok", false, startLimit - 3*time.Second, startLimit},
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
		settle()
		c.Await(t.Context(), "fake__ok")
		start = time.Now()
		if c.Await(t.Context(), "fake__ok") || time.Since(start) > 0 {
			t.Errorf("it was waited for again, %v", time.Since(start))
		}
	})
}
