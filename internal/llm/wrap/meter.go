package wrap

import (
	"cmp"
	"context"
	"errors"

	"parley/internal/llm"
)

// Price is money for a million tokens.
type Price struct {
	Input  float64
	Cached float64 // read from the provider's cache; 0 is as Input
	Output float64
}

// Of returns what a call costs: by the price or, where there is none, as the
// provider reported it.
func (p Price) Of(u llm.Usage) float64 {
	if p == (Price{}) {
		return u.Cost
	}
	return (float64(u.Prompt-u.Cached)*p.Input + float64(u.Cached)*cmp.Or(p.Cached, p.Input) + float64(u.Completion)*p.Output) / 1e6
}

// Amount is the cost of a call.
type Amount struct {
	Tokens int64
	Money  float64
}

// Call is a model call that has ended.
type Call struct {
	Purpose string // the route: answer, summary, …
	Model   string // the owner's name for it
	Outcome string // ok, failed, or refused by Meter
	Usage   llm.Usage
}

// Count is called for each call that has ended. It may write to the database.
type Count func(ctx context.Context, c Call)

// Meter holds every call of a model to limits of tokens and money, so that at most one
// call exceeds a limit, and counts how each call ended.
type Meter struct {
	llm.Model
	Name      string // of the model, where a request names none
	Purpose   string
	Price     Price
	MaxTokens int // what a reply may take, where a request does not say
	Gauge     *Gauge
	Window    *Window
	// Reserve takes as much as a call may need; done gives back what it did
	// not. Its error refuses the call.
	Reserve func(ctx context.Context, a Amount) (done func(took Amount), err error)
	// Instead answers in place of the model after this error of Reserve; nil
	// fails with llm.ErrLimit.
	Instead func(error) llm.Model
	Count   Count
}

// Complete implements llm.Model.
func (m Meter) Complete(ctx context.Context, r llm.Request, onText func(string)) (llm.Response, error) {
	m.Window.Refresh(ctx)
	guess := llm.Usage{Prompt: m.Gauge.Estimate(r), Completion: cmp.Or(r.MaxTokens, m.MaxTokens)}
	name := cmp.Or(r.Model, m.Name)
	done, err := m.Reserve(ctx, m.amount(guess))
	if err != nil {
		m.Count(ctx, Call{m.Purpose, name, "refused", llm.Usage{}})
		if other := m.Instead(err); other != nil {
			return other.Complete(ctx, r, onText)
		}
		return llm.Response{}, &llm.Error{Class: llm.ErrLimit, Detail: err.Error()}
	}
	said := 0
	resp, err := m.Model.Complete(ctx, r, counting(onText, &said))
	took := m.took(r, resp, err, said)
	resp.Usage = took
	done(m.amount(took))
	m.Count(ctx, Call{m.Purpose, name, outcome(err), took})
	return resp, err
}

// Spent answers past a limit what its model can; all else fails with llm.ErrLimit.
type Spent struct {
	llm.Model
	Why error // the limit
}

// Complete implements llm.Model.
func (s Spent) Complete(ctx context.Context, r llm.Request, onText func(string)) (llm.Response, error) {
	r.Spend = nil
	resp, err := s.Model.Complete(ctx, r, onText)
	if errors.Is(err, llm.ErrNone) {
		err = &llm.Error{Class: llm.ErrLimit, Detail: s.Why.Error()}
	}
	return resp, err
}

// outcome returns how a call ended, as it is counted.
func outcome(err error) string {
	if err != nil {
		return "failed"
	}
	return "ok"
}

// counting is onText that counts the characters which came.
func counting(onText func(string), said *int) func(string) {
	if onText == nil {
		return nil
	}
	return func(delta string) {
		if delta != llm.RetryText {
			*said += len(delta)
		}
		onText(delta)
	}
}

// took returns what a call was billed: as the provider said or, where it said
// nothing, by the estimate; what wrote nothing to the wire, such as the built-in
// responder, took nothing. An answer that was cut or stopped was begun, and is
// billed too; one that never came is not.
func (m Meter) took(r llm.Request, resp llm.Response, err error, said int) llm.Usage {
	u := resp.Usage
	e, _ := errors.AsType[*llm.Error](err)
	if e != nil {
		u = e.Usage
	}
	switch {
	case err != nil && u.Total == 0 && said > 0:
		u.Prompt, u.Completion = m.Gauge.Estimate(r), (said+3)/4
	case err != nil: // it never came, or has its bill
	case u.Total > 0:
		if u.Attempts <= 1 && u.Cached <= u.Prompt { // some count without what was cached
			m.Gauge.Learn(r, u.Prompt)
		}
	case u.Attempts > 0:
		u.Prompt, u.Completion = m.Gauge.Estimate(r), llm.EstimateTokens(resp.Message)
	}
	u.Total = u.Prompt + u.Completion
	u.Cost = m.Price.Of(u)
	if e != nil {
		e.Usage = u
	}
	return u
}

func (m Meter) amount(u llm.Usage) Amount {
	return Amount{int64(u.Prompt + u.Completion), m.Price.Of(u)}
}
