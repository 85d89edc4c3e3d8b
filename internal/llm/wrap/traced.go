package wrap

import (
	"cmp"
	"context"
	"errors"
	"time"

	"parley/internal/llm"
)

// Traced makes a span of each call, and reports when its text began.
type Traced struct {
	llm.Model
	Name   string // of the model, where a request names none
	Tracer *Tracer
	// First hears how long a call that streams took up to its first text; nil
	// is nobody.
	First func(model string, took time.Duration)
}

// Complete implements llm.Model.
func (m Traced) Complete(ctx context.Context, r llm.Request, onText func(string)) (llm.Response, error) {
	name := cmp.Or(r.Model, m.Name)
	ctx, s := m.Tracer.Start(ctx, "chat "+name, Client)
	resp, err := m.Model.Complete(ctx, r, m.noting(name, s, onText))
	s.Set("gen_ai.operation.name", "chat")
	s.Set("gen_ai.provider.name", "openai") // the words that are spoken, whoever speaks them
	s.Set("gen_ai.request.model", name)
	s.Set("gen_ai.usage.input_tokens", resp.Usage.Prompt)
	s.Set("gen_ai.usage.output_tokens", resp.Usage.Completion)
	s.Set("parley.attempts", resp.Usage.Attempts)
	s.Finish(ErrorType(err))
	return resp, err
}

// noting is onText that notes when the first text came.
func (m Traced) noting(name string, s *Span, onText func(string)) func(string) {
	if onText == nil {
		return nil
	}
	began, begun := time.Now(), false
	return func(delta string) {
		if !begun && delta != "" && delta != llm.RetryText {
			begun = true
			took := time.Since(began)
			s.Set("parley.first_token_ms", int(took.Milliseconds()))
			if m.First != nil {
				m.First(name, took)
			}
		}
		onText(delta)
	}
}

// errorTypes are the few words that a failure is counted under.
var errorTypes = []struct {
	err  error
	word string
}{
	{context.Canceled, "canceled"},
	{context.DeadlineExceeded, "timeout"},
	{llm.ErrUnavailable, "unavailable"},
	{llm.ErrRateLimited, "rate_limited"},
	{llm.ErrQuota, "quota"},
	{llm.ErrAuth, "auth"},
	{llm.ErrModelNotFound, "model_not_found"},
	{llm.ErrContextOverflow, "context_overflow"},
	{llm.ErrFiltered, "filtered"},
	{llm.ErrInvalidOutput, "invalid_output"},
	{llm.ErrBadRequest, "bad_request"},
	{llm.ErrNone, "no_model"},
}

// ErrorType returns the error.type of a failure: one of few words, "_OTHER" for what
// has none, "" for nil.
func ErrorType(err error) string {
	if err == nil {
		return ""
	}
	for _, t := range errorTypes {
		if errors.Is(err, t.err) {
			return t.word
		}
	}
	return "_OTHER"
}
