package app

import (
	"context"
	"sync"

	"parley/internal/chat"
	"parley/internal/llm/wrap"
	"parley/internal/tools"
)

// Spans traces messages and tool calls; without a Tracer it does nothing.
type Spans struct {
	*wrap.Tracer
	turns   sync.Map // chat.Key -> *wrap.Span of the message being answered
	running sync.Map // key of a tool call -> *wrap.Span
}

// Messages traces each message that is answered.
func (t *Spans) Messages(next chat.Handler) chat.Handler {
	if t.Tracer == nil {
		return next
	}
	pass := chat.FuncOf(next)
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		ctx, s := t.Start(ctx, "message", wrap.Server)
		s.Set("parley.platform", m.Key.Platform)
		// Messages answered beside a turn run no tools.
		if _, busy := t.turns.LoadOrStore(m.Key, s); !busy {
			defer t.turns.Delete(m.Key)
		}
		a, err := pass(ctx, m, w)
		s.Set("parley.outcome", string(chat.Ending(m, a.Text != "", a.Record).Outcome))
		s.Finish(wrap.ErrorType(err))
		return a, err
	})
}

// Tool traces the states of a tool call.
func (t *Spans) Tool(c tools.Call, name string, state tools.State) {
	if t.Tracer == nil {
		return
	}
	key := c.Key + " " + c.ID
	switch state {
	case tools.Pending, tools.Retrying:
	case tools.Running:
		parent, _ := t.turns.Load(c.Where)
		turn, _ := parent.(*wrap.Span)
		s := t.Begin(turn, "execute_tool "+name, wrap.Internal)
		s.Set("gen_ai.operation.name", "execute_tool")
		s.Set("gen_ai.tool.type", "function")
		s.Set("gen_ai.tool.name", name)
		t.running.Store(key, s)
	default:
		if v, ok := t.running.LoadAndDelete(key); ok {
			s := v.(*wrap.Span)
			failure := ""
			if state != tools.Success {
				failure = string(state)
			}
			s.Finish(failure)
		}
	}
}
