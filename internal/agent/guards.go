package agent

import (
	"context"
	"encoding/json"

	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/playbook"
	"parley/internal/tools"
	"parley/internal/tools/guards"
)

// guards returns the playbook's guards for this turn, nil for none.
func (t *turn) guards() *guards.Turn {
	book := t.a.o.Book()
	if book == nil {
		return nil
	}
	return guards.New(guards.Case{
		Guards: book.Guards(), Now: t.a.o.Now, Schema: guards.Schemas(t.tools.set),
		Past: func(ctx context.Context) ([]memory.Precedent, error) {
			return t.a.o.Store.Precedents(ctx, t.context.session.ID, t.m.From.ID)
		},
		Role:      func(ctx context.Context) string { return t.a.o.Role(ctx, t.m) },
		Variables: func(ctx context.Context) (map[string]any, error) { return t.variables(ctx, book) },
	})
}

// variables returns those of the playbook that are known.
func (t *turn) variables(ctx context.Context, book *playbook.Book) (map[string]any, error) {
	st, err := t.state(ctx)
	if err != nil {
		return nil, err
	}
	known := map[string]any{}
	for _, v := range book.Variables(st) {
		var value any
		if err := json.Unmarshal(v.Value, &value); err == nil {
			known[v.Name] = value
		}
	}
	return known, nil
}

// witnessed tells the guards of a call that was made.
func (t *turn) witnessed(c llm.ToolCall, o tools.Outcome) {
	_, agreed := t.tools.agreed[c.ID]
	t.tools.guards.Heard(tools.Call{Name: c.Name, Args: json.RawMessage(c.Args), Confirmed: agreed}, o,
		o.Result.Origin.But(t.m.From.ID).People)
}
