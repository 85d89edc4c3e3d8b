package main

import (
	"context"
	"errors"

	"parley/internal/admin"
	"parley/internal/llm"
	"parley/internal/llm/offline"
)

// pastOffline is the limits.past_limit that lets the built-in responder answer.
const pastOffline = "offline"

// metered holds every model call to the day's token limits, so that a limit is
// passed by one call at most (promises.md P9), and counts it for /metrics.
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
	name := r.Model
	if name == "" {
		name = m.a.model.name
	}
	done, err := m.a.front.quotas.Reserve(ctx, int64(estimate))
	if err != nil {
		m.a.counts.modelCall(name, "refused", llm.Usage{})
	}
	if errors.Is(err, admin.ErrQuota) && m.a.inForce.Load().Limits.PastLimit == pastOffline {
		return offline.Model{Why: wordsPastLimit}.Complete(ctx, r, onText)
	}
	if err != nil {
		return llm.Response{}, &llm.Error{Class: llm.ErrQuota, Detail: err.Error()}
	}
	resp, err := m.Model.Complete(ctx, r, onText)
	done(int64(resp.Usage.Total))
	outcome := "ok"
	if err != nil {
		outcome = "failed"
	}
	m.a.counts.modelCall(name, outcome, resp.Usage)
	return resp, err
}
