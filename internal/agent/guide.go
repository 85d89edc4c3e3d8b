package agent

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/provenance"
	"parley/internal/playbook"
	"parley/internal/tools"
)

// guide asks the playbook how to behave now: no model call, or a few.
func (t *turn) guide(ctx context.Context) error {
	book := t.a.o.Book()
	if book == nil {
		return nil
	}
	s, err := t.situation(ctx)
	if err != nil {
		return err
	}
	if s.Events = t.events(); t.keep && t.m.Kind == chat.KindCommand {
		s.Text, s.Events = "", nil
	}
	began := t.a.o.Now()
	g, err := book.Guide(ctx, t.judge(), s)
	if err != nil {
		return err
	}
	t.take(ctx, g, began)
	return nil
}

// judge returns the model that decides the playbook's conditions, nil for none.
func (t *turn) judge() llm.Model {
	if t.a.o.BookModel == nil && !t.a.o.NoBookModel {
		return t.a.o.Model
	}
	return t.a.o.BookModel
}

// state returns where the playbook stands.
func (t *turn) state(ctx context.Context) (st playbook.State, err error) {
	if t.context.noted.To == "" {
		person, err := t.a.o.Store.People.Person(ctx, t.m.From.ID, t.m.Agent.ID)
		if err != nil {
			return st, err
		}
		t.context.noted = memory.PersonNote{From: person.Playbook, To: person.Playbook}
	}
	return playbook.State{User: t.m.From.ID, Session: raw(t.context.session.Playbook), Person: raw(t.context.noted.To)}, nil
}

// situation returns what the playbook decides by, as it is now.
func (t *turn) situation(ctx context.Context) (s playbook.Situation, err error) {
	s = playbook.Situation{
		Platform: t.m.Key.Platform, Channel: t.m.Key.Channel, User: t.m.From.ID, Text: t.in.text, Forwarded: t.m.Forwarded ||
			t.m.Shared, MessageID: t.m.ID,
		Tools: t.tools.set.Specs(), Now: t.report.began, Spend: t.report.ledger.spend,
	}
	if s.State, err = t.state(ctx); err != nil {
		return s, err
	}
	if role := t.a.o.Role(ctx, t.m); role != "" {
		s.Roles = []string{role}
	}
	for _, e := range t.context.window {
		if e.Role != llm.RoleTool && e.Content != "" {
			s.Recent = append(s.Recent, llm.Message{Role: e.Role, Content: provenance.Shown(e.Content, e.Origin.Via)})
		}
	}
	s.Enabled, err = t.a.RuleSwitches(ctx)
	return s, err
}

// take makes the playbook's guidance that of the turn.
func (t *turn) take(ctx context.Context, g playbook.Guidance, began time.Time) {
	t.context.guidance = g
	t.report.lap(memory.Lap{Kind: "rules", Tokens: g.Usage.Total}, began, t.a.o.Now().Sub(began))
	t.report.ledger.add(g.Calls, g.Usage)
	level := map[bool]slog.Level{false: slog.LevelWarn, true: slog.LevelDebug}[t.judge() == nil] // that was the owner's choice
	for _, n := range g.Notes {
		t.a.o.Log.Log(ctx, level, "playbook", "note", n)
	}
	t.context.changed = t.context.changed || t.context.noted.To != string(g.State.Person)
	t.context.session.Playbook, t.context.noted.To = string(g.State.Session), string(g.State.Person)
	t.tools.offer = append(t.tools.offer, g.Tools...)
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
	st, err := book.SetVariable(playbook.State{User: t.m.From.ID, Session: raw(t.context.session.Playbook),
		Person: raw(t.context.noted.To)}, playbook.Value{
		Name: v.Name, Value: value, Confidence: 1, Source: "tool", MessageID: t.m.ID, At: t.a.o.Now(),
	})
	if err != nil {
		t.a.o.Log.Warn("set variable", "name", v.Name, "err", err)
		return
	}
	t.context.session.Playbook, t.context.noted.To, t.context.changed = string(st.Session), string(st.Person), true
}
