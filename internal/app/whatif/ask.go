package whatif

import (
	"context"
	"slices"
	"time"

	"parley/internal/app/rehearse"
	"parley/internal/llm"
	"parley/internal/memory"
)

// reply is what a model answered then.
type reply struct {
	form string // the schema of the answer, "" for words
	llm.Message
}

// said returns what models answered for a message: word for word where that was kept, else
// from the transcript.
func (w *world) said(ctx context.Context, p memory.Past) (list []reply, err error) {
	calls, err := w.Tape.Replies(ctx, p.InboxID, p.Key, p.At)
	if err != nil {
		return nil, err
	}
	for _, c := range calls {
		if c.Reply != nil {
			list = append(list, reply{c.Form, *c.Reply})
		}
	}
	if len(list) > 0 {
		return list, nil
	}
	for _, came := range rehearse.Recalled(p.Decision, p.Entries) {
		one := reply{Message: came.Message}
		if came.Judged {
			one.form = rehearse.Verdicts
		}
		list = append(list, one)
	}
	return list, nil
}

// asker is a model in a world apart.
type asker struct {
	Leg
	w    *world
	side int
}

// Complete implements llm.Model.
func (a asker) Complete(ctx context.Context, r llm.Request, _ func(string)) (llm.Response, error) {
	if r.Spend != nil {
		if err := r.Spend(); err != nil {
			return llm.Response{}, err
		}
	}
	w, print := a.w, printOf(a.Leg, r)
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.turn
	form := ""
	if r.Schema != nil {
		form = r.Schema.Name
	} else if !slices.Contains(t.models, a.Name) {
		t.models = append(t.models, a.Name)
	}
	w.Asking.priced(a.side, a.Leg)
	t.summed = t.summed || a.Purpose == "summary"
	if resp, ok := t.given[print]; ok && a.side == changed {
		t.same++
		return fresh(resp), nil
	}
	if a.side == asIs {
		resp, ok := a.recorded(t, form)
		if !ok {
			return a.unknown(t)
		}
		t.same++
		t.given[print] = resp
		return fresh(resp), nil
	}
	return a.again(ctx, t, r, print, form)
}

// again answers a request that the change made another one: a model does, or it is supposed
// that it would answer as it did then.
func (a asker) again(ctx context.Context, t *replayed, r llm.Request, print fingerprint, form string) (llm.Response, error) {
	began := time.Now()
	resp, ok, err := a.w.Asking.ask(ctx, a.Leg, r, print)
	switch {
	case err != nil:
		return llm.Response{}, err
	case ok:
		t.asked++
		t.cost += a.Price.Of(resp.Usage)
		t.waited += time.Since(began)
		resp.Usage = llm.Usage{} // what is not counted then is not counted now
		return fresh(resp), nil
	}
	t.again++
	if resp, ok := a.recorded(t, form); ok {
		return fresh(resp), nil
	}
	return a.unknown(t)
}

func (a asker) unknown(t *replayed) (llm.Response, error) {
	if t.unknown == "" {
		t.unknown = "what " + a.Name + " answers"
	}
	t.stop(errUnknown)
	return llm.Response{}, errUnknown
}

// recorded returns the next reply of this form that this run has not had.
func (a asker) recorded(t *replayed, form string) (llm.Response, bool) {
	for i, r := range t.said {
		if t.used[i] || r.form != form {
			continue
		}
		t.used[i] = true
		resp := llm.Response{Message: r.Message, Finish: llm.FinishStop, Model: a.Name}
		if len(r.ToolCalls) > 0 {
			resp.Finish = llm.FinishToolCalls
		}
		return resp, true
	}
	return llm.Response{}, false
}

// fresh returns a response that its receiver may change.
func fresh(r llm.Response) llm.Response {
	r.Message.ToolCalls = slices.Clone(r.Message.ToolCalls)
	return r
}
