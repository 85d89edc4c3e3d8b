package agent

import (
	"context"
	"encoding/json"
	"log/slog"

	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/playbook"
	"parley/internal/provenance"
	"parley/internal/tools"
)

// guide asks the playbook how to behave now: no model call, or one.
func (t *turn) guide(ctx context.Context) error {
	book := t.a.o.Book()
	if book == nil {
		return nil
	}
	person, err := t.a.o.Store.Person(ctx, t.m.From.ID)
	if err != nil {
		return err
	}
	model := t.a.o.BookModel
	if model == nil && !t.a.o.NoBookModel {
		model = t.a.o.Model
	}
	s := playbook.Situation{
		Platform: t.m.Key.Platform, Channel: t.m.Key.Channel, User: t.m.From.ID, Text: t.in.text, Forwarded: t.m.Forwarded || t.m.Shared, MessageID: t.m.ID,
		State: playbook.State{User: t.m.From.ID, Session: raw(t.context.session.Playbook), Person: raw(person.Playbook)},
		Tools: t.tools.set.Specs(), Events: t.events(), Now: t.report.began, Spend: t.report.ledger.spend,
	}
	if t.in.opening {
		s.Text, s.Events = "", nil
	}
	if role := t.a.o.Role(ctx, t.m); role != "" {
		s.Roles = []string{role}
	}
	if s.Enabled, err = t.a.RuleSwitches(ctx); err != nil {
		return err
	}
	for _, e := range t.context.window {
		if e.Role != llm.RoleTool && e.Content != "" {
			s.Recent = append(s.Recent, llm.Message{Role: e.Role, Content: provenance.Shown(e.Content, e.Origin.Via)})
		}
	}
	began := t.a.o.Now()
	t.context.guidance, err = book.Guide(ctx, model, s)
	if err != nil {
		return err
	}
	t.report.lap(memory.Lap{Kind: "rules", Tokens: t.context.guidance.Usage.Total}, began, t.a.o.Now().Sub(began))
	t.report.ledger.add(t.context.guidance.Calls, t.context.guidance.Usage)
	level := slog.LevelWarn
	if model == nil {
		level = slog.LevelDebug // that nothing is judged was the owner's choice
	}
	for _, n := range t.context.guidance.Notes {
		t.a.o.Log.Log(ctx, level, "playbook", "note", n)
	}
	t.context.session.Playbook = string(t.context.guidance.State.Session)
	t.context.person = string(t.context.guidance.State.Person)
	t.context.changed = t.context.person != person.Playbook
	t.tools.offer = append(t.tools.offer, t.context.guidance.Tools...)
	return nil
}

func raw(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}

// events lists what happened besides the text.
func (t *turn) events() (events []string) {
	if t.context.session.LastActivity.IsZero() {
		events = append(events, playbook.EventStart)
		if t.context.session.CarriedFrom == "" {
			events = append(events, playbook.EventFirstMessage)
		}
	}
	if t.context.session.Status == memory.Idle {
		events = append(events, playbook.EventIdleReturn)
	}
	if len(t.m.Files) > 0 {
		events = append(events, playbook.EventFile)
	}
	return events
}

// setVariable takes a variable that a tool set over into the session's
// playbook state; a value that breaks the variable's rules is dropped.
func (t *turn) setVariable(v tools.VariableSet) {
	book := t.a.o.Book()
	if book == nil {
		return
	}
	value, err := json.Marshal(v.Value)
	if err != nil {
		return
	}
	st, err := book.SetVariable(playbook.State{User: t.m.From.ID, Session: raw(t.context.session.Playbook), Person: raw(t.context.person)}, playbook.Value{
		Name: v.Name, Value: value, Confidence: 1, Source: "tool", MessageID: t.m.ID, At: t.a.o.Now(),
	})
	if err != nil {
		t.a.o.Log.Warn("set variable", "name", v.Name, "err", err)
		return
	}
	t.context.session.Playbook, t.context.person, t.context.changed = string(st.Session), string(st.Person), true
}
