package wrap

import (
	"context"

	"parley/internal/llm"
)

// Meter holds every call of a model to a limit of tokens, so that the limit is
// passed by one call at most, and tells of each call how it ended.
type Meter struct {
	llm.Model
	Name      string // of the model, where a request names none
	MaxTokens int    // what a reply may take, where a request does not say
	// Reserve takes as many tokens as a call may need; done gives back those
	// that it did not. Its error refuses the call.
	Reserve func(ctx context.Context, tokens int64) (done func(took int64), err error)
	// Instead answers in place of the model after this error of Reserve; nil
	// fails with llm.ErrQuota.
	Instead func(error) llm.Model
	Count   Count
}

// Count hears how a call ended: ok, failed, or refused by Meter.
type Count func(model, outcome string, u llm.Usage)

// Complete implements llm.Model.
func (m Meter) Complete(ctx context.Context, r llm.Request, onText func(string)) (llm.Response, error) {
	estimate := r.MaxTokens
	if estimate == 0 {
		estimate = m.MaxTokens
	}
	for _, msg := range r.Messages {
		estimate += llm.EstimateTokens(msg)
	}
	name := r.Model
	if name == "" {
		name = m.Name
	}
	done, err := m.Reserve(ctx, int64(estimate))
	if err != nil {
		m.Count(name, "refused", llm.Usage{})
		if other := m.Instead(err); other != nil {
			return other.Complete(ctx, r, onText)
		}
		return llm.Response{}, &llm.Error{Class: llm.ErrQuota, Detail: err.Error()}
	}
	resp, err := m.Model.Complete(ctx, r, onText)
	done(int64(resp.Usage.Total))
	outcome := "ok"
	if err != nil {
		outcome = "failed"
	}
	m.Count(name, outcome, resp.Usage)
	return resp, err
}
