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
	"parley/internal/text"
)

// Finding is something in a playbook that is valid but probably a mistake.
type Finding struct {
	File string
	Line int
	ID   string // of the guideline, journey or variable
	Kind string // "unreachable", "always true", "one text", "contradiction", "unknown tool", "dead end", "shadowed", "never matched"
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
	// Open tells that other tools and servers may exist: only names that are nearly those of
	// known tools are reported.
	Open bool
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
		l.joined(g)
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
	case g.when.Kind == condition.Literal && slices.Contains(common, g.when.Lit):
		l.add(g.At, g.ID, "always true", "%q is in nearly every message", g.when.Lit)
	case g.when.Kind == condition.Always && g.reply != "" && len(g.homes)+len(g.needs)+len(g.Channels)+len(g.Platforms)+
		len(g.Roles)+len(g.Tags) == 0:
		l.add(g.At, g.ID, "always true", "it answers every message with the same text")
	case g.when.Kind == condition.Var && g.when.Test.Op == "set" && l.b.variables[g.when.Test.Name].fallback != nil:
		l.add(g.At, g.ID, "always true", "%s has a default, so it is always set", g.when.Test.Name)
	}
}

// common are words of one letter that most messages have. Literals are whole words, so
// other letters are rare.
var common = []string{"a", "i", "e", "y", "o", "à", "и", "в", "я", "о", "у", "с", "的", "了", "我", "是", ".", ",", "?", "!"}

// joined reports texts with a comma: they are one text, and rarely meant to be.
func (l *linter) joined(g *Guideline) {
	g.when.Each(func(c condition.Condition) {
		if first, rest, ok := strings.Cut(c.Lit, ", "); ok && c.Kind == condition.Literal {
			l.add(g.At, g.ID, "one text", "a message must have %q with its comma; for either say: literal:%s OR literal:%s", c.Lit, first,
				rest)
		}
	})
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
		if j := l.b.journeys[h.journey]; j != nil && h.step != "" && !j.reached()[h.step] {
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

// unknownTools names tools that there are not. Those of tool servers are not known
// before the server runs.
func (l *linter) unknownTools(at sheet.Place, id string, tools []string) {
	for _, tool := range tools {
		server, _, ofServer := strings.Cut(tool, "__")
		switch {
		case l.Tools == nil || slices.ContainsFunc(l.Tools, func(known string) bool { return named(tool, known) }):
		case !ofServer && l.Open && sheet.Suggest(tool, l.Tools) == "":
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

// pairs compares rules with each other: what they say where both apply, and rules that
// a reply always speaks before.
func (l *linter) pairs() {
	var on, replies []*Guideline
	for _, g := range l.b.doc.Guidelines {
		if !g.IsEnabled() {
			continue
		}
		on = append(on, g)
		if g.reply != "" && len(g.needs) == 0 {
			replies = append(replies, g)
		}
	}
	for i, a := range on {
		for _, b := range on[i+1:] {
			if !overlap(a, b) || bars(a, b) || bars(b, a) {
				continue
			}
			switch same := sameWhen(a.Condition, b.Condition, a.when, b.when); {
			case same && contradict(a, b):
				l.add(b.At, b.ID, "contradiction", "has the condition of %s and says otherwise", a.ID)
			case !same && (a.when.Kind == condition.Always || b.when.Kind == condition.Always) && saying.Forbids(a.Action, b.Action):
				l.add(b.At, b.ID, "contradiction", "%s and this one cannot both be followed, and one of them always applies", a.ID)
			case same && sameSaying(a, b):
				l.add(b.At, b.ID, "twice", "says what %s says, under the same condition", a.ID)
			}
		}
	}
	for _, g := range on {
		for _, r := range replies {
			if g != r && g.reply == "" && overlap(r, g) && shadows(r, g) {
				l.add(g.At, g.ID, "shadowed", "whenever it matches, %s answers before it", r.ID)
				break
			}
		}
	}
}

// bars reports whether a keeps b from applying beside it, so that they may differ.
func bars(a, b *Guideline) bool { return slices.Contains(a.Excludes, b.ID) }

// sameWhen reports whether two conditions, as written and as compiled, say the same,
// perhaps in other words.
func sameWhen(a, b string, x, y condition.Condition) bool {
	if saying.Normal(a) == saying.Normal(b) {
		return true
	}
	words := saying.Content(x.Text)
	return x.Kind == condition.Plain && y.Kind == condition.Plain && len(words) > 0 && slices.Equal(words, saying.Content(y.Text))
}

// contradict recognizes two different ready-made answers, an action that forbids the
// other one, and actions that differ only in words that exclude each other.
func contradict(a, b *Guideline) bool {
	if a.reply != "" && b.reply != "" {
		return saying.Normal(a.reply) != saying.Normal(b.reply)
	}
	return saying.Forbids(a.Action, b.Action) || saying.Opposite(a.Action, b.Action)
}

// sameSaying reports whether two rules ask for the same.
func sameSaying(a, b *Guideline) bool {
	return a.reply == "" && b.reply == "" && a.Action != "" && slices.Equal(saying.Content(a.Action), saying.Content(b.Action))
}
