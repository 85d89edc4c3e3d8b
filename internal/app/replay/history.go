package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/playbook/guard"
	"parley/internal/tools"
)

// pageSize is how many sessions are read at once, and maxAudits how many answers of
// one.
const (
	pageSize  = 100
	maxAudits = 10_000
)

// History returns the bot's own conversations since a moment, one for each person of a
// session, newest first. Results that were too long for the model are cut.
func History(ctx context.Context, store *memory.Store, since time.Time) (list []Conversation, err error) {
	for offset := 0; ; offset += pageSize {
		sessions, err := store.Sessions.Sessions(ctx, memory.SessionQuery{Limit: pageSize, Offset: offset})
		if err != nil {
			return nil, fmt.Errorf("read sessions: %w", err)
		}
		for _, se := range sessions {
			if se.LastActivity.Before(since) {
				return list, nil
			}
			found, err := session(ctx, store, se)
			if err != nil {
				return nil, err
			}
			list = append(list, found...)
		}
		if len(sessions) < pageSize {
			return list, nil
		}
	}
}

func session(ctx context.Context, store *memory.Store, se memory.Session) (list []Conversation, err error) {
	entries, err := store.Transcript(ctx, se.ID, 0, 0)
	if err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	audits, err := store.Decisions.Audits(ctx, se.Key, se.Created, se.LastActivity.Add(time.Hour), maxAudits)
	if err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	done := map[string]memory.CallRecord{}
	for _, a := range audits {
		for _, c := range a.Done {
			if a.Session == se.ID {
				done[c.CallID] = c
			}
		}
	}
	people := map[string]int{}
	for _, e := range entries {
		i, known := people[e.User]
		if !known {
			i = len(list)
			people[e.User] = i
			list = append(list, Conversation{
				ID: se.ID, Person: guard.Person{ID: e.User},
				Place: guard.Place{Platform: se.Key.Platform, Channel: se.Key.Channel, Thread: se.Key.Thread, Direct: se.Direct},
			})
		}
		list[i].hear(e, done)
	}
	return list, nil
}

// hear adds an entry of a transcript.
func (c *Conversation) hear(e memory.Entry, done map[string]memory.CallRecord) {
	if e.Role == llm.RoleTool {
		for s := range c.Steps {
			for k := range c.Steps[s].Calls {
				call := &c.Steps[s].Calls[k]
				if call.id == e.ToolCallID && done[call.id].Status == string(tools.Success) {
					call.Result, call.Failed = e.Content, false
				}
			}
		}
	}
	step := Step{At: e.At}
	for _, call := range e.ToolCalls {
		if done[call.ID].Status == string(tools.Pending) { // made again once the person agreed
			continue
		}
		step.Calls = append(step.Calls, Call{Tool: call.Name, Args: object(json.RawMessage(call.Args)), Failed: true, id: call.ID})
	}
	c.Steps = append(c.Steps, step)
}
