package wrap

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/llm"
)

// saying is a model that fails as often as it is told to, and counts.
type saying struct{ fails, asked int }

func (s *saying) Complete(context.Context, llm.Request, func(string)) (llm.Response, error) {
	if s.asked++; s.asked <= s.fails {
		return llm.Response{}, &llm.Error{Class: llm.ErrUnavailable, Detail: "away"}
	}
	return llm.Response{Message: llm.Message{Content: "well"}}, nil
}

// alone is the context of another message.
func alone(ctx context.Context) context.Context { return llm.Enduring(ctx, &llm.Endurance{}, nil) }

// TestEnduranceGoesOn: a message that is handled again goes on where it was cut short: it tells
// of the failure at once, waits for the rest of the wait, and counts what was tried before.
func TestEnduranceGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := 0
		tell := func(failed error) {
			if failed != nil {
				told++
			}
		}
		e, away := &llm.Endurance{}, &saying{fails: 1 << 20}
		route := Route{Legs: []Leg{{Model: away, Name: "away", Breaker: &Breaker{}}}, Patience: 20 * time.Second, Tries: 6, Log: quiet}
		began := time.Now()
		for again := range 4 {
			ctx, cut := context.WithCancel(llm.Enduring(t.Context(), e, tell))
			time.AfterFunc(time.Millisecond, cut)
			if _, err := route.Complete(ctx, request("hi"), nil); !errors.Is(err, context.Canceled) || told != again+1 || away.asked != 1 {
				t.Fatalf("try %d: %v, told %d times, %d requests", again, err, told, away.asked)
			}
		}
		if _, err := route.Complete(llm.Enduring(t.Context(), e, tell), request("hi"), nil); err == nil || away.asked != 6 {
			t.Errorf("%d requests, %v", away.asked, err)
		}
		if took := time.Since(began); took < 5*time.Second || took > 21*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

// TestOneMessageEndures: all calls for one message together ask a model that fails six
// times, within 20 s, and tell of it once; a model that did not fail is asked all the same,
// and an answer begins the count anew.
func TestOneMessageEndures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := 0
		ctx := llm.Enduring(t.Context(), &llm.Endurance{}, func(failed error) {
			if failed != nil {
				told++
			}
		})
		away, other := &saying{fails: 1 << 20}, &saying{}
		route := func(m *saying, name string) Route {
			return Route{Legs: []Leg{{Model: m, Name: name, Breaker: &Breaker{}}}, Patience: 20 * time.Second, Tries: 6, Log: quiet}
		}
		began := time.Now()
		for range 4 { // what rules apply, the answer, a helper, a summary
			if _, err := route(away, "away").Complete(ctx, request("hi"), nil); !errors.Is(err, llm.ErrUnavailable) {
				t.Fatal(err)
			}
		}
		if took := time.Since(began); away.asked != 6 || took > 20*time.Second || took < 8*time.Second || told != 1 {
			t.Errorf("%d requests in %s, told %d times", away.asked, took, told)
		}
		once, rules := alone(t.Context()), &saying{fails: 1}
		single := route(rules, "rules")
		single.Tries = 1
		_, _ = single.Complete(once, request("which rules?"), nil)
		if _, err := single.Complete(once, request("hi"), nil); err != nil || rules.asked != 2 {
			t.Errorf("the answer after one failure: %v", err)
		}
		if resp, err := route(other, "other").Complete(ctx, request("hi"), nil); err != nil || resp.Message.Content != "well" {
			t.Errorf("a model that works: %v", err)
		}
		if _, err := route(away, "away").Complete(ctx, request("hi"), nil); err == nil || away.asked != 12 || told != 2 {
			t.Errorf("after an answer %d requests, told %d times, %v", away.asked, told, err)
		}
		// Where somebody waited in vain, the next message looks once and waits for nothing.
		down := route(away, "away")
		down.Legs[0].Breaker.fails = 6
		began = time.Now()
		if _, err := down.Complete(alone(t.Context()), request("hi"), nil); err == nil || away.asked != 13 || time.Since(began) > 0 {
			t.Errorf("during an outage %d requests in %s, %v", away.asked-12, time.Since(began), err)
		}
		back := &saying{fails: 3}
		if _, err := route(back, "back").Complete(alone(t.Context()), request("hi"), nil); err != nil || back.asked != 4 {
			t.Errorf("one that comes back: %v after %d", err, back.asked)
		}
	})
}
