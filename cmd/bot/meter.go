package main

import (
	"context"

	"parley/internal/llm"
)

// metered holds every model call to the day's token limits, so that a limit is
// passed by one call at most (promises.md P9).
type metered struct {
	llm.Model
	a *app
}

// Complete implements llm.Model.
func (m metered) Complete(ctx context.Context, r llm.Request, onText func(string)) (llm.Response, error) {
	estimate := r.MaxTokens
	if estimate == 0 {
		estimate = m.a.cfg.Model.MaxTokens
	}
	for _, msg := range r.Messages {
		estimate += llm.EstimateTokens(msg)
	}
	done, err := m.a.front.quotas.Reserve(ctx, int64(estimate))
	if err != nil {
		return llm.Response{}, &llm.Error{Class: llm.ErrQuota, Detail: err.Error()}
	}
	resp, err := m.Model.Complete(ctx, r, onText)
	done(int64(resp.Usage.Total))
	return resp, err
}
