package app

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/internal/agent"
	"parley/internal/chat"
	"parley/internal/command/gate"
)

// stands reports why nothing is done about a question although m says yes to what is agreed;
// "" is that it stands. It asks for what may have changed since the question was put: who
// answers here, who may still have it done, the conversation, its journey, and the tools.
// What a command may, the command asks when it runs.
func (f *front) stands(ctx context.Context, m chat.Message, q chat.Question, agreed []bool, after any) (chat.Lapse, error) {
	if q.Agent != m.Agent.ID { // another agent answers here now, and knows nothing of it
		return chat.LapsedAgent, nil
	}
	asked := m
	switch {
	case q.Asked.IsHook():
		asked = m.AsHook(q.Asked)
	case m.From.ID != q.Asked.ID:
		asked.From, asked.Admin = q.Asked, false
		if role, err := f.people.gate.Role(ctx, asked); err != nil || role == gate.Stranger {
			return chat.LapsedRights, err
		}
	}
	calls, err := callsOf(q, agreed)
	if err != nil || len(calls) == 0 {
		return "", err
	}
	hanging := agent.Hanging{Session: q.Session, Calls: calls, After: after}
	if why, err := f.mind.At(asked).Stands(ctx, asked, hanging); err != nil || why != "" {
		return why, err
	}
	for _, c := range calls {
		if why, err := f.toolStands(ctx, m, asked, c); err != nil || why != "" {
			return why, err
		}
	}
	return "", nil
}

// callsOf returns the calls of a question that are agreed to; none if it is about something
// else.
func callsOf(q chat.Question, agreed []bool) (calls []agent.Pending, err error) {
	var does gate.Action
	if err := json.Unmarshal(q.Body, &does); err != nil {
		return nil, fmt.Errorf("read what was asked: %w", err)
	}
	if does.Kind != actionTool && does.Kind != actionForm {
		return nil, nil
	}
	for i, item := range does.Items {
		var c agent.Pending
		if err := json.Unmarshal(item.Args, &c); err != nil {
			return nil, fmt.Errorf("read what was asked: %w", err)
		}
		if i < len(agreed) && agreed[i] {
			calls = append(calls, c)
		}
	}
	return calls, nil
}

// toolStands reports why the tool of a call that was asked about may not be used now on m's
// yes; "" is that it may. A server that is just starting is waited for.
func (f *front) toolStands(ctx context.Context, m, asked chat.Message, c agent.Pending) (chat.Lapse, error) {
	tool := c.Tool
	set, err := f.toolset.here(ctx, asked)
	if err != nil {
		return "", err
	}
	spec, ok := set.Lookup(tool)
	if !ok && f.toolset.await(ctx, tool) {
		if set, err = f.toolset.here(ctx, asked); err != nil {
			return "", err
		}
		spec, ok = set.Lookup(tool)
	}
	if !ok {
		if _, there := f.toolset.offered().Lookup(tool); there {
			return chat.LapsedRights, nil
		}
		return chat.LapsedTool, nil
	}
	if m.From.ID == asked.From.ID && (!spec.Over || c.Inquiry != "") { // what its server asks is theirs to answer
		return "", nil
	}
	if role, err := f.people.gate.Role(ctx, m); err != nil || role < leastRole(spec) {
		return chat.LapsedRights, err
	}
	return "", nil
}
