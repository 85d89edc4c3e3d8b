package agent

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/provenance"
	"parley/internal/playbook"
	"parley/internal/tools"
	"parley/internal/tools/guards"
)

// guidance is what the playbook says about this turn, and how much of the turn it has seen.
type guidance struct {
	*job
	context *background
	tools   *toolrun
	report  *report

	playbook.Guidance
	noted   memory.PersonNote // the playbook's note on the author
	changed bool              // noted must be stored

	ran    []playbook.ToolResult // outcomes of the turn's calls
	heard  int                   // how many of ran the playbook has seen
	judged bool                  // it asked a model again; once a message
	rounds int                   // of calls made by steps
}

// ask asks the playbook how to behave now: no model call, or a few.
func (g *guidance) ask(ctx context.Context) error {
	book := g.a.o.Book()
	if book == nil {
		return nil
	}
	s, err := g.situation(ctx)
	if err != nil {
		return err
	}
	if s.Events = g.events(); g.keep && g.m.Kind == chat.KindCommand {
		s.Text, s.Events = "", nil
	}
	model := g.judge()
	if chat.Alone(ctx) { // it does not answer
		model = nil
	}
	began := g.a.o.Now()
	now, err := book.Guide(ctx, model, s)
	if err == nil {
		g.take(ctx, now, began)
	}
	return err
}

// again has the playbook guide anew after tools it heeds gave something back. again is
// false where it heeds none of them, or failed.
func (g *guidance) again(ctx context.Context) (again bool) {
	book := g.a.o.Book()
	if book == nil || g.sub != nil {
		return false
	}
	heeds := slices.ContainsFunc(g.ran[g.heard:], func(r playbook.ToolResult) bool { return book.Heeds(r.Tool) })
	if g.heard = len(g.ran); !heeds {
		return false
	}
	var model llm.Model // once a message
	if !g.judged {
		model = g.judge()
	}
	began := g.a.o.Now()
	s, err := g.situation(ctx)
	now := g.Guidance
	if s.Results = g.ran; err == nil {
		now, err = book.After(ctx, model, s, now)
	}
	if err != nil {
		g.a.o.Log.Warn("playbook after tools", "err", err)
		return false
	}
	g.judged = g.judged || now.Calls > 0
	g.take(ctx, now, began)
	return true
}

func (g *guidance) state(ctx context.Context) (st playbook.State, err error) {
	if g.noted.To == "" {
		person, err := g.a.o.Store.People.Person(ctx, g.m.From.ID, g.m.Agent.ID)
		if err != nil {
			return st, err
		}
		g.noted = memory.PersonNote{From: person.Playbook, To: person.Playbook}
	}
	return playbook.State{User: g.m.From.ID, Session: raw(g.context.session.Playbook), Person: raw(g.noted.To)}, nil
}

// situation returns what the playbook decides by.
func (g *guidance) situation(ctx context.Context) (s playbook.Situation, err error) {
	s = playbook.Situation{
		Platform: g.m.Key.Platform, Channel: g.m.Key.Channel, User: g.m.From.ID, Text: g.in.text, Forwarded: g.m.Forwarded ||
			g.m.Shared, MessageID: g.m.ID,
		Overheard: g.m.Overhears(),
		Tools:     g.tools.set.Specs(), Now: g.report.began, Spend: g.report.ledger.spend,
	}
	if s.State, err = g.state(ctx); err != nil {
		return s, err
	}
	if role := g.a.o.Role(ctx, g.m); role != "" {
		s.Roles = []string{role}
	}
	for _, e := range g.context.window {
		if e.Role != llm.RoleTool && e.Content != "" {
			via := e.Origin.Via
			if e.Role == llm.RoleAssistant {
				via &^= provenance.ViaOverheard
			}
			s.Recent = append(s.Recent, llm.Message{Role: e.Role, Content: provenance.Shown(e.Content, via)})
		}
	}
	s.Enabled, err = g.a.RuleSwitches(ctx)
	return s, err
}

// take puts new guidance in force for the turn.
func (g *guidance) take(ctx context.Context, now playbook.Guidance, began time.Time) {
	g.Guidance = now
	if now.Notice != "" {
		g.in.tell(now.Notice)
	}
	g.report.lap(memory.Lap{Kind: "rules", Tokens: now.Usage.Total}, began, g.a.o.Now().Sub(began))
	g.report.ledger.add(now.Calls, now.Usage)
	level := slog.LevelWarn
	if g.judge() == nil { // the owner's choice
		level = slog.LevelDebug
	}
	for _, n := range now.Notes {
		g.a.o.Log.Log(ctx, level, "playbook", "note", n)
	}
	g.changed = g.changed || g.noted.To != string(now.State.Person)
	g.context.session.Playbook, g.noted.To = string(now.State.Session), string(now.State.Person)
	g.tools.offer = append(g.tools.offer, now.Tools...)
}

func raw(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}

// events lists what happened apart from the text.
func (g *guidance) events() (events []string) {
	if g.context.session.LastActivity.IsZero() {
		events = append(events, playbook.EventStart)
		if g.context.session.CarriedFrom == "" {
			events = append(events, playbook.EventFirstMessage)
		}
	}
	if g.context.session.Status == memory.Idle {
		events = append(events, playbook.EventIdleReturn)
	}
	if len(g.m.Files) > 0 {
		events = append(events, playbook.EventFile)
	}
	return events
}

// setVariable puts a variable set by a tool into the session's playbook state; a value that
// breaks the variable's rules is dropped.
func (g *guidance) setVariable(v tools.VariableSet) {
	book := g.a.o.Book()
	if book == nil {
		return
	}
	value, err := json.Marshal(v.Value)
	if err != nil {
		return
	}
	st, err := book.SetVariable(playbook.State{User: g.m.From.ID, Session: raw(g.context.session.Playbook),
		Person: raw(g.noted.To)}, playbook.Value{
		Name: v.Name, Value: value, Confidence: 1, Source: "tool", MessageID: g.m.ID, At: g.a.o.Now(),
	})
	if err != nil {
		g.a.o.Log.Warn("set variable", "name", v.Name, "err", err)
		return
	}
	g.context.session.Playbook, g.noted.To, g.changed = string(st.Session), string(st.Person), true
}

// MaySpeak reports, without a model, whether a rule may have the agent answer m, which was said
// to others. Only where some rule may speak unasked it reads anything.
func (a *Agent) MaySpeak(ctx context.Context, m chat.Message) (bool, error) {
	book := a.o.Book()
	s := playbook.Situation{Platform: m.Key.Platform, Channel: m.Key.Channel, User: m.From.ID, Text: m.Text}
	if book == nil || m.Forwarded || m.Shared || !book.MaySpeak(ctx, s) {
		return false, nil
	}
	var err error
	s.Enabled, err = a.RuleSwitches(ctx)
	return err == nil && book.MaySpeak(ctx, s), err
}

// guards returns the playbook's guards for this turn, nil for none.
func (g *guidance) guards() *guards.Turn {
	book := g.a.o.Book()
	if book == nil {
		return nil
	}
	return guards.New(guards.Case{
		Guards: book.Guards(), Now: g.a.o.Now, Schema: guards.Schemas(g.tools.set),
		Past: func(ctx context.Context) ([]memory.Precedent, error) {
			return g.a.o.Store.Precedents(ctx, g.context.session.ID, g.m.From.ID)
		},
		Role:      func(ctx context.Context) string { return g.a.o.Role(ctx, g.m) },
		Variables: func(ctx context.Context) (map[string]any, error) { return g.variables(ctx, book) },
	})
}

func (g *guidance) variables(ctx context.Context, book *playbook.Book) (map[string]any, error) {
	st, err := g.state(ctx)
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

// came records a call's outcome, unless the call still waits for its person.
func (g *guidance) came(c llm.ToolCall, o tools.Outcome) {
	if o.Class != tools.NeedsYes && o.Class != tools.NeedsInput {
		g.ran = append(g.ran, playbook.ToolResult{Tool: c.Name, Args: json.RawMessage(c.Args), Text: o.Result.Content, JSON: o.Result.JSON,
			Failed: o.State != tools.Success})
	}
}
