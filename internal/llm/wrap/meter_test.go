package wrap

import (
	"context"
	"errors"
	"math"
	"testing"

	"parley/internal/llm"
	"parley/internal/llm/llmtest"
)

// TestLedger: what is counted and charged is what the endpoint says it billed,
// within 1 %, for answers, for failures that were billed and for repairs.
func TestLedger(t *testing.T) {
	s, l := endpoint(t, "m")
	price := Price{Input: 2.5, Cached: 0.25, Output: 15}
	var got llm.Usage
	var open Amount
	m := Meter{Model: l.Model, Name: "m", Purpose: "answer", Price: price, MaxTokens: 100, Gauge: &Gauge{},
		Instead: func(error) llm.Model { return nil },
		Count:   func(_ context.Context, c Call) { got = got.Add(c.Usage) },
		Reserve: func(_ context.Context, a Amount) (func(Amount), error) {
			open.Tokens += a.Tokens
			return func(Amount) { open.Tokens -= a.Tokens }, nil
		}}
	stream := func(finish, text, usage string) llmtest.Turn {
		return llmtest.Turn{Stream: []string{llmtest.Piece(`{"content":"`+text+`"}`, finish), `data: {"choices":[],"usage":` + usage + `}`,
			"data: [DONE]"}}
	}
	s.Queue(
		stream("stop", "hello", `{"prompt_tokens":1000,"completion_tokens":50,"prompt_tokens_details":{"cached_tokens":800}}`),
		stream("stop", "", `{"prompt_tokens":500,"completion_tokens":20}`), // empty, billed, and asked again
		stream("stop", "hello", `{"prompt_tokens":500,"completion_tokens":30}`),
		stream("content_filter", "x", `{"prompt_tokens":300,"completion_tokens":5}`), // refused, and billed
	)
	for range 3 {
		_, _ = m.Complete(t.Context(), request("hi"), func(string) {})
	}
	want := llm.Usage{Prompt: 2300, Completion: 105, Cached: 800}
	cost := (1500*2.5 + 800*0.25 + 105*15) / 1e6
	if got.Prompt != want.Prompt || got.Completion != want.Completion || got.Cached != want.Cached || math.Abs(got.Cost-cost) > cost/100 {
		t.Errorf("counted %+v, want %+v at %g", got, want, cost)
	}
	if open.Tokens != 0 {
		t.Errorf("%d tokens are still set aside", open.Tokens)
	}
	// Where an endpoint says nothing, what it took is estimated; what was never
	// answered took nothing.
	got = llm.Usage{}
	s.Queue(llmtest.Turn{Stream: []string{llmtest.Piece(`{"content":"hello there, how are you?"}`, "stop")}}, llmtest.Refusal(500, ""))
	for range 2 {
		_, _ = m.Complete(t.Context(), request("a question of some length"), func(string) {})
	}
	if got.Prompt < 3 || got.Prompt > 30 || got.Completion < 3 || got.Completion > 12 || got.Cost <= 0 {
		t.Errorf("estimated %+v", got)
	}
}

// TestLimitRefuses: a limit is no failure of the model, and asks nobody else.
func TestLimitRefuses(t *testing.T) {
	full := errors.New("full")
	a, b := &scripted{said: "a"}, &scripted{said: "b"}
	meter := Meter{Model: a, Name: "a", Count: func(context.Context, Call) {}, Instead: func(error) llm.Model { return nil },
		Reserve: func(context.Context, Amount) (func(Amount), error) { return nil, full }}
	r := Route{Legs: []Leg{{Model: meter, Name: "a", Breaker: &Breaker{}}, b.leg("b")}, Patience: 1e9, Log: quiet}
	if _, err := r.Complete(t.Context(), request("hi"), nil); !errors.Is(err, llm.ErrLimit) || a.asked+b.asked != 0 {
		t.Errorf("asked %d, %v", a.asked+b.asked, err)
	}
	if _, why := r.Legs[0].Breaker.Resting(); why != nil {
		t.Errorf("the model rests: %v", why)
	}
}
