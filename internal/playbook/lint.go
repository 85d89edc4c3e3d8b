package playbook

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley/internal/playbook/condition"
	"parley/internal/playbook/saying"
	"parley/internal/playbook/sheet"
	"parley/internal/playbook/value"
)

// Finding is something in a playbook that is valid but probably a mistake.
type Finding struct {
	File string
	Line int
	ID   string // of the guideline, journey or variable
	Kind string // "unreachable", "always true", "contradiction", "unknown tool", "dead end", "shadowed", "never matched"
	Text string
}

// String returns one line.
func (f Finding) String() string {
	return fmt.Sprintf("%s:%d: %s: %s: %s", f.File, f.Line, f.ID, f.Kind, f.Text)
}

// Known is what exists outside the playbook. A nil list is unknown, and nothing is
// compared with it.
type Known struct {
	Tools []string
	// Servers are the names of tool servers: their tools are not known before they run.
	Servers          []string
	Roles, Platforms []string
}

// linter collects findings.
type linter struct {
	Known
	b     *Book
	found []Finding
}

// Check looks for rules and journeys that cannot work as written, as far as words
// show. used counts how often each guideline matched lately, nil to skip that one.
func Check(b *Book, known Known, used map[string]int) []Finding {
	l := &linter{b: b, Known: known}
	for _, g := range b.doc.Guidelines {
		l.alwaysTrue(g)
		l.unreachable(g)
		l.needsExcluded(g)
		l.unknownTools(g.At, g.ID, append(slices.Clone(g.Tools), g.After...))
		l.unknownNames(g)
		if g.IsEnabled() && used != nil && used[g.ID] == 0 {
			l.add(g.At, g.ID, "never matched", "it did not match in the period counted")
		}
	}
	l.guardedTools()
	l.pairs()
	l.variables()
	for _, j := range b.doc.Journeys {
		l.journey(j)
	}
	l.triggers()
	slices.SortStableFunc(l.found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return l.found
}

func (l *linter) add(at sheet.Place, id, kind, format string, args ...any) {
	l.found = append(l.found, Finding{at.Src.Name, at.Line(), id, kind, fmt.Sprintf(format, args...)})
}

func (l *linter) alwaysTrue(g *Guideline) {
	switch {
	case g.when.Kind == condition.Regex && g.when.Re.MatchString(""):
		l.add(g.At, g.ID, "always true", "its pattern matches the empty text, so every message")
	case g.when.Kind == condition.Literal && len([]rune(g.when.Lit)) < 2:
		l.add(g.At, g.ID, "always true", "%q is in nearly every message", g.when.Lit)
	case g.when.Kind == condition.Always && g.reply != "" && len(g.homes)+len(g.needs)+len(g.Channels)+len(g.Platforms)+
		len(g.Roles)+len(g.Tags) == 0:
		l.add(g.At, g.ID, "always true", "it answers every message with the same text")
	case g.when.Kind == condition.Var && g.when.Test.Op == "set" && l.b.variables[g.when.Test.Name].fallback != nil:
		l.add(g.At, g.ID, "always true", "%s has a default, so it is always set", g.when.Test.Name)
	}
}

func (l *linter) unreachable(g *Guideline) {
	for _, name := range g.needs {
		if v := l.b.variables[name]; v.ExtractionPrompt == "" && len(v.patterns) == 0 && v.fallback == nil && v.From == "" && !v.PerPerson {
			l.add(g.At, g.ID, "unreachable", "nothing but a tool can set %s, which it needs", name)
		}
	}
	if g.DependsOn != nil {
		for _, id := range g.DependsOn.All {
			if !l.b.guidelines[id].IsEnabled() {
				l.add(g.At, g.ID, "unreachable", "it depends on %s, which is switched off", id)
			}
		}
	}
	if g.when.Kind == condition.Var && g.when.Test.Op == "=" {
		v := l.b.variables[g.when.Test.Name]
		fits := func(a []byte) bool { return strings.EqualFold(value.Plain(a), g.when.Test.Value) }
		if v.valid.Allowed != nil && !slices.ContainsFunc(value.Bytes(v.valid.Allowed), fits) {
			l.add(g.At, g.ID, "unreachable", "%s is never %q: not among its allowed values", v.Name, g.when.Test.Value)
		}
	}
	for _, h := range g.homes {
		if j := l.b.journeys[h.journey]; h.step != "" && !j.reached()[h.step] {
			l.add(g.At, g.ID, "unreachable", "no way leads to its step %s of %s", h.step, h.journey)
		}
	}
}

// overlap reports whether two rules can apply in the same place.
func overlap(a, b *Guideline) bool {
	meet := func(x, y []string) bool {
		return len(x) == 0 || len(y) == 0 || slices.ContainsFunc(x, func(s string) bool { return slices.Contains(y, s) })
	}
	homes := len(a.homes) == 0 || len(b.homes) == 0 || slices.ContainsFunc(a.homes, func(h home) bool {
		return slices.ContainsFunc(b.homes, func(o home) bool {
			return h.journey == o.journey && (h.step == "" || o.step == "" || h.step == o.step)
		})
	})
	return homes && meet(a.Platforms, b.Platforms) && meet(a.Channels, b.Channels) && meet(a.Roles, b.Roles) && meet(a.Tags, b.Tags)
}

// shadows reports whether reply r is certain to be given whenever g matches.
func shadows(r, g *Guideline) bool {
	if r.Priority <= g.Priority || len(r.homes)+len(r.Platforms)+len(r.Channels)+len(r.Roles)+len(r.Tags) > 0 || r.DependsOn != nil {
		return false
	}
	switch r.when.Kind {
	case condition.Always:
		return true
	case condition.Literal:
		return g.when.Kind == condition.Literal && strings.Contains(g.when.Lit, r.when.Lit)
	default:
		return saying.Normal(r.Condition) == saying.Normal(g.Condition)
	}
}

func (l *linter) journey(j *Journey) {
	reached := j.reached()
	for _, s := range j.Steps {
		l.toolStep(j, s)
		switch {
		case !reached[s.ID]:
			l.add(s.At, j.ID, "unreachable", "no way leads to step %s", s.ID)
		case !s.IsTerminal && len(s.Transitions) == 0:
			l.add(s.At, j.ID, "dead end", "step %s is not terminal and leads nowhere", s.ID)
		case s.IsTerminal && len(s.Transitions) > 0:
			l.add(s.At, j.ID, "unreachable", "the transitions of the terminal step %s are never taken", s.ID)
		}
		for k, tr := range s.Transitions {
			for _, before := range s.Transitions[:k] {
				if certain := before.when.Kind == condition.Always && (!tr.Early || before.Early); certain ||
					saying.Normal(before.Condition) == saying.Normal(tr.Condition) && before.Early == tr.Early {
					l.add(s.At, j.ID, "shadowed", "the transition from %s to %s is always preceded by the one to %s", s.ID, tr.ToStep, before.ToStep)
					break
				}
			}
		}
	}
}

// reached returns the steps that can be reached from the initial one.
func (j *Journey) reached() map[string]bool {
	seen := map[string]bool{}
	for queue := []string{j.InitialStep}; len(queue) > 0; queue = queue[1:] {
		if seen[queue[0]] {
			continue
		}
		seen[queue[0]] = true
		if s := j.steps[queue[0]]; !s.IsTerminal {
			for _, tr := range s.Transitions {
				queue = append(queue, tr.ToStep)
			}
		}
	}
	return seen
}
