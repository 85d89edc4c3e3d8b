package playbook

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/internal/playbook/condition"
	"parley/internal/playbook/judge"
	"parley/internal/playbook/saying"
	"parley/internal/playbook/value"
	"parley/internal/text"
)

// maxBefore bounds how much of an earlier message is looked at for words in common
// with rules, in characters.
const maxBefore = 300

// questions collects what a model could decide about this message, most wanted
// first, and whether any of it is worth a call. Values that might be found are only
// added to a call that is made anyway.
func (t *turn) questions(ctx context.Context) (q judge.Question, needed bool) {
	var minds []judge.Asked
	for _, k := range t.tracks {
		q.Conditions = append(q.Conditions, t.journeyQuestions(k)...)
		asks, worth := t.mindQuestions(k)
		minds, needed = append(minds, asks...), needed || worth
	}
	rules := t.ruleQuestions(ctx)
	needed = needed || len(q.Conditions)+len(rules) > 0
	q.Conditions = slices.Concat(q.Conditions, minds, rules)
	wantedNow := t.wantedNow()
	var later []judge.Wanted
	for _, v := range t.book.doc.Variables {
		if v.ExtractionPrompt == "" || t.book.asks && !t.askedFor(v) {
			continue
		}
		known, set := t.store(v)[v.Name]
		if set && t.fresh(known) {
			continue
		}
		w := judge.Wanted{Name: v.Name, Type: v.valid.Kind, How: v.ExtractionPrompt, Version: v.version}
		if set {
			w.Known = text.Shorten(value.Plain(known.Value), 100)
		}
		switch {
		case !set && (wantedNow[v.Name] || v.mayBeIn(t)), set && v.valid.Re != nil && v.tokenIn(t):
			q.Variables = append(q.Variables, w)
			needed = true
		default:
			later = append(later, w)
		}
	}
	q.Variables = append(q.Variables, later...)
	if !needed || strings.TrimSpace(t.sit.Text) == "" {
		return judge.Question{}, false
	}
	q.Newest = t.sit.Text
	for _, term := range t.terms() {
		q.Words = append(q.Words, judge.Term{Term: term.Term, Meaning: term.Meaning})
	}
	q.Tools = t.toolQuestions(q.Conditions)
	return q, true
}

// wantedNow returns the variables the conversation is waiting for.
func (t *turn) wantedNow() map[string]bool {
	out := map[string]bool{t.own.Asked: true, t.shared.Asked: true}
	for _, k := range t.tracks {
		if step := t.step(k); step != nil {
			for _, name := range step.RequiredContext {
				out[name] = true
			}
		}
	}
	for _, v := range t.book.doc.Variables {
		if v.Required {
			out[v.Name] = true
		}
	}
	for _, g := range t.book.doc.Guidelines {
		if g.when.Judged() || len(g.needs) == 0 || !t.enabled(g) || t.scope(g) != "" || t.missing(g.needs) == "" {
			continue
		}
		if score, _ := t.holds(g.when); score >= t.book.threshold && g.when.Kind != condition.Always {
			for _, name := range g.needs {
				out[name] = true
			}
		}
	}
	return out
}

// journeyQuestions returns the triggers when no journey is active, else the
// transitions that might be taken now: those of the current step and of the
// steps after it that have all they ask for.
func (t *turn) journeyQuestions(k *track) (out []judge.Asked) {
	step := t.step(k)
	if step == nil {
		for _, j := range t.book.doc.Journeys {
			if j.shared() == k.shared && j.trigger.Judged() && (j.Repeat || !k.past(j.ID)) {
				out = append(out, t.asks("start:"+j.ID, j.trigger)...)
			}
		}
		return out
	}
	j := t.book.journeys[k.front().ID]
	seen := map[string]bool{}
	for queue := []*Step{step}; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		if seen[s.ID] || s != step && (len(s.RequiredContext) == 0 || t.missing(s.RequiredContext) != "") {
			continue
		}
		seen[s.ID] = true
		for _, tr := range s.Transitions {
			if tr.when.Judged() && (tr.Early || t.askable(s.RequiredContext)) {
				out = append(out, t.asks(s.ID+"->"+tr.ToStep, tr.when)...)
			}
			queue = append(queue, j.steps[tr.ToStep])
		}
	}
	return out
}

// askable reports whether each name is known or might become known by this call.
func (t *turn) askable(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		_, known := t.value(name)
		return !known && t.book.variables[name].ExtractionPrompt == ""
	})
}

// ruleQuestions returns the rules only a model can judge, those that share the
// rarest words with the message and the conversation first, and those that mean
// what it means.
func (t *turn) ruleQuestions(ctx context.Context) []judge.Asked {
	var rules []*Guideline
	for _, g := range t.book.doc.Guidelines {
		if !g.when.Judged() || !t.enabled(g) || !t.askable(g.needs) || !t.mayBeInScope(g) {
			continue
		}
		if done := t.own.Applied[g.ID] == g.version; done && g.Continuous != nil && !*g.Continuous {
			continue
		}
		rules = append(rules, g)
	}
	if len(rules) == 0 {
		return nil
	}
	score := t.book.index.scores(t.words())
	var before strings.Builder
	for _, m := range t.sit.Recent[max(0, len(t.sit.Recent)-2):] {
		before.WriteString(judge.Middle(m.Content, maxBefore) + "\n")
	}
	for i, s := range t.book.index.scores(saying.Words(before.String())) {
		score[i] += s / 4
	}
	shortlist(rules, score, t.near(ctx, rules))
	var out []judge.Asked
	for _, g := range rules {
		done := t.own.Applied[g.ID] == g.version && (g.Continuous == nil || !*g.Continuous)
		for _, a := range t.asks(g.ID, g.when) {
			a.Applied, a.Version = done, g.version
			out = append(out, a)
		}
	}
	return out
}

// asks lists what a model has to judge of a condition: one entry, or one for each of
// the parts that are still open, each with an id of its own.
func (t *turn) asks(id string, c condition.Condition) (out []judge.Asked) {
	for i, words := range c.Open(t.known) {
		a := judge.Asked{ID: id, When: words, Version: version(words)}
		if i > 0 {
			a.ID = fmt.Sprintf("%s#%d", id, i+1)
		}
		out = append(out, a)
	}
	return out
}

// mayBeInScope is scope, with the steps that a transition leads to counted in:
// the journey may move on before the rule is needed.
func (t *turn) mayBeInScope(g *Guideline) bool {
	why := t.scope(g)
	if why == "" || len(g.homes) == 0 {
		return why == ""
	}
	bare := *g
	bare.homes = nil
	if t.scope(&bare) != "" {
		return false
	}
	for _, k := range t.tracks {
		step := t.step(k)
		if step != nil && slices.ContainsFunc(g.homes, func(h home) bool {
			return h.journey == k.front().ID && slices.ContainsFunc(step.Transitions, func(tr *Transition) bool { return tr.ToStep == h.step })
		}) {
			return true
		}
	}
	return false
}

// toolQuestions returns the parameters of the tools that rules in play would
// offer, where these take any.
func (t *turn) toolQuestions(conditions []judge.Asked) (out []judge.Arguments) {
	seen := map[string]bool{}
	for _, c := range conditions {
		g := t.book.guidelines[c.ID]
		if g == nil {
			continue
		}
		for _, tool := range g.Tools {
			spec, ok := t.spec(tool)
			if ok && !seen[tool] && takesArguments(spec.Parameters) {
				seen[tool] = true
				out = append(out, judge.Arguments{Tool: tool, Schema: spec.Parameters, About: c.ID})
			}
		}
	}
	return out
}

// terms returns the glossary entries mentioned in this or the last few messages.
func (t *turn) terms() (out []*Term) {
	if len(t.book.doc.Glossary) == 0 {
		return nil
	}
	text := t.lower
	for _, m := range t.sit.Recent[max(0, len(t.sit.Recent)-2):] {
		text += "\n" + strings.ToLower(m.Content)
	}
	for _, term := range t.book.doc.Glossary {
		named := func(w string) bool { return strings.Contains(text, strings.ToLower(w)) }
		if named(term.Term) || slices.ContainsFunc(term.Also, named) {
			out = append(out, term)
		}
	}
	return out
}
