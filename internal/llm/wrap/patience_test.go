package wrap

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/llm"
	"parley/internal/text/waittest"
)

// TestWaitsForTimeNotTries: a model that is back within the budget answers, and
// one that is not is given up when the budget is over.
func TestWaitsForTimeNotTries(t *testing.T) {
	for name, tt := range map[string]struct {
		back     time.Duration // after which it works
		tip      time.Duration // Retry-After
		class    error
		answered bool
	}{
		"5xx for 15 s":              {back: 15 * time.Second, class: llm.ErrUnavailable, answered: true},
		"5xx for ever":              {back: time.Hour, class: llm.ErrUnavailable},
		"429, which names 7 s":      {back: 7 * time.Second, tip: 7 * time.Second, class: llm.ErrRateLimited, answered: true},
		"429, which names a minute": {back: time.Minute, tip: time.Minute, class: llm.ErrRateLimited},
		"a wrong key":               {back: time.Second, class: llm.ErrAuth},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				m := &scripted{said: "hello"}
				m.fail = func(int) error {
					if time.Since(began) < tt.back {
						return &llm.Error{Class: tt.class, RetryAfter: tt.tip}
					}
					return nil
				}
				r := Route{Legs: []Leg{m.leg("m")}, Patience: 20 * time.Second, Log: quiet}
				var seen shown
				resp, err := r.Complete(t.Context(), request("hi"), seen.take)
				took := time.Since(began)
				if (err == nil) != tt.answered || err != nil && !errors.Is(err, tt.class) {
					t.Errorf("%+v, %v", resp, err)
				}
				if err == nil && seen.text != "hello" {
					t.Errorf("shown %q", seen.text)
				}
				if took > 20*time.Second || !tt.answered && tt.class == llm.ErrUnavailable && took < 10*time.Second {
					t.Errorf("given up after %s and %d attempts", took, m.asked)
				}
				if tt.tip > 0 && m.asked > 2 || tt.class == llm.ErrAuth && m.asked > 1 {
					t.Errorf("asked %d times", m.asked)
				}
			})
		})
	}
}

// TestOneDeadline: nothing is waited for past the end of the whole.
func TestOneDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		m := &scripted{fail: down}
		r := Route{Legs: []Leg{m.leg("a"), m.leg("b")}, Patience: time.Hour, Total: 30 * time.Second, Log: quiet}
		if _, err := r.Complete(t.Context(), request("hi"), nil); err == nil || time.Since(began) != 30*time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		ctx, stop := context.WithCancelCause(t.Context())
		stop(errStopped)
		if _, err := r.Complete(ctx, request("hi"), nil); !errors.Is(err, errStopped) {
			t.Errorf("stopped: %v", err)
		}
	})
}

// TestBreaker: who failed is passed by; after its rest one request tries it
// while the others go past, and when it works again it is the first again.
func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		working, hold := false, make(chan struct{})
		first := &scripted{said: "a"}
		first.fail = func(n int) error {
			if n > 1 && !working {
				<-hold
			}
			if !working {
				return down(n)
			}
			return nil
		}
		second := &scripted{said: "b"}
		r := Route{Legs: []Leg{first.leg("first"), second.leg("second")}, Log: quiet}
		ask := func() string {
			resp, err := r.Complete(t.Context(), request("hi"), nil)
			if err != nil {
				t.Error(err)
			}
			return resp.By
		}
		for range 3 {
			if by := ask(); by != "second" {
				t.Errorf("%s answered", by)
			}
		}
		if first.asked != 1 {
			t.Errorf("the one that rests was asked %d times", first.asked)
		}
		waittest.Pass(shortRest)
		probed := make(chan string)
		go func() { probed <- ask() }()
		synctest.Wait()
		if by := ask(); by != "second" || first.asked != 2 {
			t.Errorf("beside the probe %s answered, %d probes", by, first.asked-1)
		}
		close(hold)
		if by := <-probed; by != "second" {
			t.Errorf("the probe failed, and %s answered", by)
		}
		working = true
		waittest.Pass(shortRest)
		if by := ask(); by != "second" {
			t.Errorf("after a second failure it rests longer, and yet %s answered", by)
		}
		waittest.Pass(shortRest)
		if by := ask(); by != "first" {
			t.Errorf("it works again, and %s answered", by)
		}
	})
}

// TestNobodyElse: when all rest, all are asked all the same.
func TestNobodyElse(t *testing.T) {
	m, working := &scripted{said: "a"}, false
	m.fail = func(n int) error {
		if working {
			return nil
		}
		return down(n)
	}
	other := &scripted{fail: func(int) error { return &llm.Error{Class: llm.ErrAuth, Detail: "no"} }}
	r := Route{Legs: []Leg{m.leg("a"), other.leg("b")}, Log: quiet}
	if _, err := r.Complete(t.Context(), request("hi"), nil); !errors.Is(err, llm.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	working = true
	if resp, err := r.Complete(t.Context(), request("hi"), nil); err != nil || resp.By != "a" {
		t.Errorf("%+v, %v", resp, err)
	}
}

// TestChosen: a request names the model that is asked first; what names none
// reaches no endpoint.
func TestChosen(t *testing.T) {
	a, b := &scripted{said: "a"}, &scripted{said: "b"}
	r := Route{Legs: []Leg{a.leg("a"), b.leg("b")}, Log: quiet}
	r.Legs[1].Blind = true
	req := request("hi")
	req.Messages[0].Images = []llm.Image{{MIME: "image/png", Data: []byte("x")}}
	for name, want := range map[string]string{"": "a", "a": "a", "b": "b", "gone": "a"} {
		req.Model = name
		if resp, err := r.Complete(t.Context(), req, nil); err != nil || resp.By != want {
			t.Errorf("%q: %+v, %v", name, resp, err)
		}
	}
	for _, got := range append(a.saw, b.saw...) {
		if got.Model != "" {
			t.Errorf("asked for %q", got.Model)
		}
	}
	if len(b.saw[0].Messages[0].Images) != 0 || len(a.saw[0].Messages[0].Images) != 1 || len(req.Messages[0].Images) != 1 {
		t.Error("pictures went to the wrong one")
	}
	r.Free = true
	req.Model = "another"
	if _, err := r.Complete(t.Context(), req, nil); err != nil || a.saw[len(a.saw)-1].Model != "another" {
		t.Errorf("of one endpoint any model may be asked for: %v", err)
	}
}
