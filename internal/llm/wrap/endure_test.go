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
		once, rules := llm.Enduring(t.Context(), &llm.Endurance{}, nil), &saying{fails: 1}
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
		if _, err := down.Complete(llm.Enduring(t.Context(), &llm.Endurance{}, nil), request("hi"), nil); err == nil || away.asked != 13 || time.Since(began) > 0 {
			t.Errorf("during an outage %d requests in %s, %v", away.asked-12, time.Since(began), err)
		}
		back := &saying{fails: 3}
		if _, err := route(back, "back").Complete(llm.Enduring(t.Context(), &llm.Endurance{}, nil), request("hi"), nil); err != nil || back.asked != 4 {
			t.Errorf("one that comes back: %v after %d", err, back.asked)
		}
	})
}
