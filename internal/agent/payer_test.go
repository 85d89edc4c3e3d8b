package agent

import (
	"context"
	"fmt"
	"testing"

	"parley/internal/chat"
	"parley/internal/llm"
)

// payers is a summarizer that notes who pays.
type payers struct{ list []chat.Message }

// Complete implements llm.Model.
func (p *payers) Complete(ctx context.Context, _ llm.Request, _ func(string)) (llm.Response, error) {
	p.list = append(p.list, chat.Payer(ctx))
	return llm.Response{}, &llm.Error{Class: llm.ErrUnavailable, Detail: "down"}
}

// TestSummariesArePaidFor: a summary is made by its own models, and whoever spoke
// last in what it sums up pays for it, although nobody waits for it.
func TestSummariesArePaidFor(t *testing.T) {
	p := &payers{}
	b := newBench(t, Options{Sessions: Sessions{Summarizer: p}})
	b.model.Answer = func(llm.Request) (llm.Response, error) {
		return spoken("ok"), nil
	}
	for i := range 12 {
		b.say(fmt.Sprintf("point %d", i))
	}
	if len(p.list) == 0 {
		t.Fatal("no summary was asked for")
	}
	for _, m := range p.list {
		if m.From.ID != annAlone.User || m.Key != annAlone.Key {
			t.Errorf("paid by %q in %s", m.From.ID, m.Key)
		}
	}
}
