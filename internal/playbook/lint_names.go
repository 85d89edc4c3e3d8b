package playbook

import (
	"slices"
	"strings"

	"parley/internal/playbook/condition"
	"parley/internal/playbook/sheet"
	"parley/internal/text"
)

// unknownTools names tools that there are not. Those of tool servers are not known
// before the server runs.
func (l *linter) unknownTools(at sheet.Place, id string, tools []string) {
	for _, tool := range tools {
		server, _, ofServer := strings.Cut(tool, "__")
		switch {
		case l.Tools == nil || slices.ContainsFunc(l.Tools, func(known string) bool { return named(tool, known) }):
		case !ofServer:
			l.add(at, id, "unknown tool", "%s%s", tool, sheet.Suggest(tool, l.Tools))
		case l.Servers != nil && !slices.Contains(l.Servers, server):
			l.add(at, id, "unknown tool", "%s: there is no tool server %s%s", tool, server, sheet.Suggest(server, l.Servers))
		}
	}
}

// unknownNames names roles and platforms that nobody and nothing has.
func (l *linter) unknownNames(g *Guideline) {
	for _, name := range g.Roles {
		if l.Roles != nil && !slices.Contains(l.Roles, name) {
			l.add(g.At, g.ID, "unknown role", "nobody is %s%s", name, sheet.Suggest(name, l.Roles))
		}
	}
	for _, name := range g.Platforms {
		if l.Platforms != nil && !slices.Contains(l.Platforms, name) {
			l.add(g.At, g.ID, "unknown platform", "%s%s", name, sheet.Suggest(name, l.Platforms))
		}
	}
	g.when.Each(func(c condition.Condition) {
		if c.Kind == condition.Tool && !strings.Contains(c.Lit, "*") {
			l.unknownTools(g.At, g.ID, []string{c.Lit})
		}
	})
}

// needsExcluded finds rules that need, or bring in, what cannot stand beside them.
func (l *linter) needsExcluded(g *Guideline) {
	needs := l.closure(g.ID, func(g *Guideline) []string {
		if g.DependsOn == nil {
			return nil
		}
		return g.DependsOn.All
	})
	all := append([]string{g.ID}, needs...)
	for i, x := range all {
		for _, y := range all[i+1:] {
			a, b := l.b.guidelines[x], l.b.guidelines[y]
			switch {
			case !bars(a, b) && !bars(b, a):
			case x == g.ID:
				l.add(g.At, g.ID, "unreachable", "it needs %s, and the two exclude each other", y)
			default:
				l.add(g.At, g.ID, "unreachable", "it needs %s and %s, which exclude each other", x, y)
			}
		}
	}
	for _, id := range l.closure(g.ID, func(g *Guideline) []string { return g.Entails }) {
		if b := l.b.guidelines[id]; id != g.ID && (bars(g, b) || bars(b, g)) {
			l.add(g.At, g.ID, "contradiction", "it entails %s, and the two exclude each other", id)
		}
	}
}

// closure follows a relation from a rule, without the rule itself.
func (l *linter) closure(id string, next func(*Guideline) []string) (out []string) {
	seen := map[string]bool{id: true}
	for queue := []string{id}; len(queue) > 0; queue = queue[1:] {
		for _, other := range next(l.b.guidelines[queue[0]]) {
			if !seen[other] {
				seen[other] = true
				out, queue = append(out, other), append(queue, other)
			}
		}
	}
	return out
}

// naming matches what identifies something, as opposed to an amount.
var naming = text.Pattern(
	`(?i)(^|[_ ])(id|ids|number|no|nr|account|phone|mobile|fax|zip|postcode|postal|iban|card|code|serial|order|invoice|ticket|tracking|customer|passport)($|[_ ,.])`)

// variables finds numbers that are names: nobody counts with an account number.
func (l *linter) variables() {
	for _, v := range l.b.doc.Variables {
		if v.valid.Kind == "number" && v.Validation == nil && (naming().MatchString(v.Name) || naming().MatchString(v.Description)) {
			l.add(v.At, v.Name, "digits", "it looks like the number of something, not an amount: data_type string keeps it as it is written")
		}
		if tool, _ := v.source(); tool != "" {
			l.unknownTools(v.At, v.Name, []string{tool})
		}
	}
}

// triggers finds journeys that begin with the same words: only one of them ever does.
func (l *linter) triggers() {
	for i, a := range l.b.doc.Journeys {
		for _, b := range l.b.doc.Journeys[:i] {
			if a.Trigger != "" && a.shared() == b.shared() && sameWhen(a.Trigger, b.Trigger, a.trigger, b.trigger) {
				l.add(a.At, a.ID, "same trigger", "the journey %s begins with the same words, so only one of them ever does", b.ID)
			}
		}
	}
}

// toolStep finds steps whose tool there is not, and steps that stay where they are when
// their tool fails.
func (l *linter) toolStep(j *Journey, s *Step) {
	if s.Tool == "" {
		return
	}
	l.unknownTools(s.At, j.ID, []string{s.Tool})
	for _, tr := range s.Transitions {
		switch c := tr.when; {
		case c.Kind == condition.Always, c.Kind == condition.Tool && c.Test.Name == "failed", c.Judged():
			return
		}
	}
	l.add(s.At, j.ID, "dead end", "step %s leads nowhere when its tool fails", s.ID)
}
