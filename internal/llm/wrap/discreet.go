package wrap

import (
	"context"
	"errors"
	"slices"

	"parley/internal/llm"
	"parley/internal/text"
)

// Discreet keeps secrets from a model, whoever brought them up, and from
// everybody who reads what it says.
type Discreet struct {
	llm.Model
	Hide text.Redactor
}

// Complete implements llm.Model.
func (d Discreet) Complete(ctx context.Context, r llm.Request, onText func(string)) (llm.Response, error) {
	r.Messages, r.Tools = replaced(r.Messages, d.leaks, d.message), replaced(r.Tools, d.toolLeaks, d.tool)
	show, end := d.stream(onText)
	resp, err := d.Model.Complete(ctx, r, show)
	end()
	resp.Message = d.message(resp.Message)
	if e, ok := errors.AsType[*llm.Error](err); ok {
		e.Detail, e.Partial = d.Hide.Hide(e.Detail), d.Hide.Hide(e.Partial)
	}
	return resp, err
}

// leaks reports whether a message holds a secret.
func (d Discreet) leaks(m llm.Message) bool {
	return d.Hide.Finds(m.Content) || slices.ContainsFunc(m.ToolCalls, func(c llm.ToolCall) bool { return d.Hide.Finds(c.Args) })
}

func (d Discreet) toolLeaks(t llm.ToolSpec) bool {
	return d.Hide.Finds(t.Description) || d.Hide.FindsIn(t.Parameters)
}

func (d Discreet) tool(t llm.ToolSpec) llm.ToolSpec {
	t.Description, t.Parameters = d.Hide.Hide(t.Description), d.Hide.HideJSON(t.Parameters)
	return t
}

func (d Discreet) message(m llm.Message) llm.Message {
	m.Content = d.Hide.Hide(m.Content)
	m.ToolCalls = slices.Clone(m.ToolCalls)
	for i, c := range m.ToolCalls {
		m.ToolCalls[i].Args = d.Hide.Hide(c.Args)
	}
	return m
}

// stream holds back what may be the beginning of a secret until it is known
// not to be, or until end.
func (d Discreet) stream(onText func(string)) (show func(string), end func()) {
	if onText == nil {
		return nil, func() {}
	}
	held := ""
	show = func(delta string) {
		if delta == llm.RetryText {
			held = ""
			onText(delta)
			return
		}
		said := d.Hide.Hide(held + delta)
		sure := len(said) - d.Hide.Open(said)
		held = said[sure:]
		if sure > 0 {
			onText(said[:sure])
		}
	}
	return show, func() {
		if held != "" {
			onText(held)
		}
	}
}
