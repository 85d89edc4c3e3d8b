// Package guards holds the guards of a playbook against the calls of a turn: it
// brings together what they may know, and notes what they said. It decides nothing
// itself (guard does) and runs no tool.
package guards

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"parley/internal/memory"
	"parley/internal/playbook/guard"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// Case is everything that guards may know about a turn. It is asked for only when a
// guard covers a call.
type Case struct {
	Guards guard.Guards
	// Past returns the calls of earlier turns of this person's conversation.
	Past      func(context.Context) ([]memory.Precedent, error)
	Role      func(context.Context) string
	Variables func(context.Context) (map[string]any, error)
	Now       func() time.Time
	Schema    func(tool string) []byte // nil for an unknown one
}

// Turn is the guards of one turn, for its goroutines. The nil Turn has none.
type Turn struct {
	c Case

	mu      sync.Mutex // guards the rest
	earlier []memory.Precedent
	loaded  bool
	made    []memory.Precedent // in this turn
	ruled   []memory.Ruled
	why     []string          // ruled, a sentence each
	left    *guard.Verdict    // that leaves a call to people; nil for none
	checked map[string]string // by guard and tool: what is wrong with it, "" for nothing
}

// New begins a turn; without guards it is nil.
func New(c Case) *Turn {
	if len(c.Guards) == 0 {
		return nil
	}
	return &Turn{c: c, checked: map[string]string{}}
}

// Rule decides about a call with valid arguments: "" lets it through, tools.NeedsYes
// asks the person, tools.Guarded refuses it. say is for the model and, where they are
// asked, the person.
func (t *Turn) Rule(ctx context.Context, c tools.Call) (class tools.Class, say string) {
	if t == nil || len(t.c.Guards.Cover(c.Name)) == 0 {
		return "", ""
	}
	s, err := t.situation(ctx, c)
	if err != nil {
		return tools.Guarded, "Not allowed: the rules on this tool could not be checked now. Nothing was done."
	}
	verdicts := t.c.Guards.Judge(s)
	t.mu.Lock()
	for i, v := range verdicts {
		if wrong := t.wrong(v.Guard, c.Name); wrong != "" && v.Lacks != "" {
			verdicts[i].Lacks += " (" + wrong + ")"
		}
		t.note(c.Name, verdicts[i])
	}
	t.mu.Unlock()
	worst := guard.Worst(verdicts)
	switch worst.Ruling {
	case guard.Allowed:
		return "", ""
	case guard.Asked:
		return tools.NeedsYes, worst.Say
	case guard.HandOver:
		t.mu.Lock()
		t.left = &worst
		t.mu.Unlock()
	}
	return tools.Guarded, told(worst)
}

// Left returns what the first guard that leaves a call to people says to the person,
// and who asks for them; nil when none does. Only the first call returns it.
func (t *Turn) Left() (h *tools.HandOver, say string) {
	if t == nil {
		return nil, ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.left == nil {
		return nil, ""
	}
	v := *t.left
	t.left = nil
	return &tools.HandOver{By: catalog.Fill("the guard %s", spaced(v.Guard)), Reason: v.Say}, v.Say
}

// told is why a call is refused, for the model.
func told(v guard.Verdict) string {
	say := "Not allowed by a rule that code enforces; nothing was done."
	if v.Ruling == guard.HandOver {
		say += " A person has to take this over: tell them so."
	}
	if v.Say != "" {
		say += " " + v.Say
	}
	if v.Lacks != "" {
		say += fmt.Sprintf(" The rule could not be checked: %s. Make the call that brings it first, if there is one.", v.Lacks)
	}
	return say
}

// wrong checks a guard against the schemas that are known by now, once a turn: tools
// of servers were not when it was loaded.
func (t *Turn) wrong(id, tool string) string {
	key := id + " " + tool
	if was, ok := t.checked[key]; ok {
		return was
	}
	t.checked[key] = ""
	for _, g := range t.c.Guards {
		if g.ID != id {
			continue
		}
		known := map[string][]byte{}
		for _, name := range append(g.Tools(), tool) {
			if schema := t.c.Schema(name); schema != nil {
				known[name] = schema
			}
		}
		if err := g.Check(known); err != nil {
			t.checked[key] = err.Error()
		}
	}
	return t.checked[key]
}

func (t *Turn) situation(ctx context.Context, c tools.Call) (s guard.Situation, err error) {
	s = guard.Situation{
		Tool: c.Name, Args: c.Args, Now: t.c.Now(), Confirmed: c.Confirmed,
		Person: guard.Person{ID: c.Who.ID, Name: c.Who.Name, Role: t.c.Role(ctx)},
		Place:  guard.Place{Platform: c.Where.Platform, Channel: c.Where.Channel, Thread: c.Where.Thread, Guild: c.Guild, Direct: c.Direct},
	}
	if s.Variables, err = t.c.Variables(ctx); err != nil {
		return s, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.loaded {
		if t.earlier, err = t.c.Past(ctx); err != nil {
			return s, err
		}
		t.loaded = true
	}
	for _, list := range [][]memory.Precedent{t.earlier, t.made} {
		for _, p := range list {
			s.Past = append(s.Past, guard.Call{Tool: p.Tool, Args: json.RawMessage(p.Args), Result: p.Result, At: p.At, Confirmed: p.Confirmed})
		}
	}
	return s, nil
}

// Heard notes a call that succeeded, if a guard looks back on its tool; of a result that is
// not whole, guards see nothing. people are whose words it is made of.
func (t *Turn) Heard(c tools.Call, o tools.Outcome, people []string) {
	if t == nil || o.State != tools.Success || !t.c.Guards.Read(c.Name) {
		return
	}
	p := memory.Precedent{Tool: c.Name, Args: string(o.Args), Result: o.Result.Given(), At: t.c.Now(), Confirmed: c.Confirmed, People: people}
	if p.Args == "" {
		p.Args = string(c.Args)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.made = append(t.made, p)
}

// Precedents returns what the turn leaves for later ones.
func (t *Turn) Precedents() []memory.Precedent {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.made
}

// note keeps a verdict for those who ask why.
func (t *Turn) note(tool string, v guard.Verdict) {
	line, name, about := "", spaced(v.Guard), spaced(tool)
	switch v.Ruling {
	case guard.Allowed:
		line = fmt.Sprintf("the guard “%s” let “%s” pass", name, about)
	case guard.Asked:
		line = fmt.Sprintf("the guard “%s” had me ask before “%s”", name, about)
	case guard.HandOver:
		line = fmt.Sprintf("the guard “%s” left “%s” to people", name, about)
	case guard.Refused:
		line = fmt.Sprintf("the guard “%s” stopped “%s”", name, about)
	}
	if v.Say != "" {
		line += ": " + v.Say
	}
	if v.Lacks != "" {
		line += " (" + v.Lacks + ")"
	}
	t.why = append(t.why, line)
	t.ruled = append(t.ruled, memory.Ruled{Guard: v.Guard, Tool: tool, Ruling: string(v.Ruling), Lacks: v.Lacks})
}

// Told returns what the guards decided, as data and in a sentence each.
func (t *Turn) Told() ([]memory.Ruled, []string) {
	if t == nil {
		return nil, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ruled, t.why
}

func spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }

// Schemas reads those of a set of tools.
func Schemas(set tools.Set) func(string) []byte {
	return func(tool string) []byte {
		spec, ok := set.Lookup(tool)
		if !ok {
			return nil
		}
		return spec.Parameters
	}
}

type turnKey struct{}

// With is a context for a call within a turn with guards: helpers that work for it
// are under them, too.
func With(ctx context.Context, t *Turn) context.Context { return context.WithValue(ctx, turnKey{}, t) }

// From returns the guards that a context is under, nil for none.
func From(ctx context.Context) *Turn {
	t, _ := ctx.Value(turnKey{}).(*Turn)
	return t
}
