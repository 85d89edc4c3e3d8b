package playbook

import (
	"bytes"
	"context"
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"

	"parley/internal/llm"
	"parley/internal/playbook/condition"
	"parley/internal/playbook/judge"
	"parley/internal/playbook/value"
)

// ToolResult is the outcome of a call.
type ToolResult struct {
	Tool   string
	Args   json.RawMessage
	Text   string          // what it gave back
	JSON   json.RawMessage // the same as data; nil if it is none
	Failed bool            // refused, declined or broken
}

// ToolRun is a call that a journey's step makes.
type ToolRun struct {
	Tool string
	Args json.RawMessage // an object

	Journey, Step string // ids
}

// Heeds reports whether a rule, a step or a variable depends on a tool's results.
func (b *Book) Heeds(tool string) bool {
	return slices.ContainsFunc(b.heeded, func(pattern string) bool { return named(pattern, tool) })
}

func named(pattern, tool string) bool {
	ok, _ := path.Match(pattern, tool) // a pattern that is none names nothing
	return ok
}

// After works out anew how to answer a message once tools ran for it: s is its
// Situation with Results and the newest State, before what was said so far. Steps that
// waited for a tool go on, variables are filled, and rules that name a tool are tried.
// It makes a call to m only when such a rule needs judgement; with m nil it makes none.
// The only error is ctx's.
func (b *Book) After(ctx context.Context, m llm.Model, s Situation, before Guidance) (Guidance, error) {
	t := b.newTurn(ctx, s)
	t.before = &before
	t.checkJourneys()
	t.learnFromTools()
	if m != nil {
		if q := t.afterQuestions(); len(q.Conditions) > 0 {
			t.judge(ctx, m, q)
		}
		if err := ctx.Err(); err != nil {
			return Guidance{}, err
		}
	}
	for _, k := range t.tracks {
		t.carryOn(k)
	}
	top, all := t.choose(t.match())
	g := t.guidance(top, all)
	g.Result.EvaluationTimeMS = before.Result.EvaluationTimeMS
	g.Why = slices.DeleteFunc(slices.Clone(before.Why), func(why string) bool {
		return slices.Contains(before.stands, why) || slices.Contains(t.reasons, why)
	})
	g.Why = append(g.Why, t.reasons...)
	return g, nil
}

// learnFromTools fills the variables that come from tools, the newest result first.
func (t *turn) learnFromTools() {
	for _, v := range t.book.doc.Variables {
		tool, field := v.source()
		for _, r := range slices.Backward(t.sit.Results) {
			if got, ok := r.field("result" + field); tool == r.Tool && !r.Failed && ok {
				t.offer(v.Name, got, SourceTool, 1)
				break
			}
		}
	}
}

// source returns the tool that a variable is filled from, and the path in what it
// gives back, empty or with a dot before it.
func (v *Variable) source() (tool, field string) {
	tool, field, ok := strings.Cut(v.From, ".")
	if ok {
		field = "." + field
	}
	return tool, field
}

// carryOn follows the journey in front if it waited for a tool that ran, or asks what
// one did.
func (t *turn) carryOn(k *track) {
	step := t.step(k)
	if step == nil {
		return
	}
	if step.Tool != "" && t.ran(step.Tool) {
		k.front().Ran = slices.ContainsFunc(t.sit.Results, func(r ToolResult) bool { return r.Tool == step.Tool && !r.Failed })
	}
	t.advance(k, true)
}

// ran reports whether a tool ran for this message, whatever its outcome.
func (t *turn) ran(tool string) bool {
	return slices.ContainsFunc(t.sit.Results, func(r ToolResult) bool { return named(tool, r.Tool) })
}

// ofResults reports whether a transition is due to what tools did, not to the message,
// which was heard before.
func (t *turn) ofResults(step *Step, tr *Transition) bool {
	return step.Tool != "" && t.ran(step.Tool) || tr.when.OfTools()
}

// stays settles a rule that does not depend on tools: if it matched before it still
// does, where it applies. It reports whether the rule is settled.
func (t *turn) stays(g *Guideline, out map[string]Match) bool {
	was := slices.IndexFunc(t.before.Result.Matches, func(m Match) bool { return m.GuidelineID == g.ID })
	if was >= 0 && t.enabled(g) && t.gate(g) == "" {
		out[g.ID] = t.newMatch(g, t.before.Result.Matches[was].RelevanceScore, t.before.Result.Matches[was].Reasoning)
		return true
	}
	lost := len(t.before.Result.Matches) == 0 && g.when.Kind == condition.Always // what was said before is not known any more
	return !g.when.OfTools() && !slices.ContainsFunc(g.After, t.ran) && len(g.homes) == 0 && !lost
}

// afterQuestions asks what rules and steps that name a tool leave to a model.
func (t *turn) afterQuestions() (q judge.Question) {
	q.Newest = t.sit.Text
	for _, r := range t.sit.Results {
		q.Results = append(q.Results, judge.Result{Tool: r.Tool, Text: r.Text})
	}
	for _, g := range t.book.doc.Guidelines {
		if !g.when.Judged() || !t.enabled(g) || t.scope(g) != "" || !g.when.OfTools() && !slices.ContainsFunc(g.After, t.ran) {
			continue
		}
		for _, a := range t.asks(g.ID, g.when) {
			a.Version = g.version
			q.Conditions = append(q.Conditions, a)
		}
	}
	for _, k := range t.tracks {
		step := t.step(k)
		if step == nil {
			continue
		}
		for _, tr := range step.Transitions {
			if tr.when.Judged() && t.ofResults(step, tr) {
				q.Conditions = append(q.Conditions, t.asks(step.ID+"->"+tr.ToStep, tr.when)...)
			}
		}
	}
	return q
}

// toolHolds decides a test of what tools did for this message.
func (t *turn) toolHolds(name string, test value.Test) bool {
	return slices.ContainsFunc(t.sit.Results, func(r ToolResult) bool {
		if !named(name, r.Tool) {
			return false
		}
		switch test.Name {
		case "ok":
			return !r.Failed
		case "failed":
			return r.Failed
		}
		got, known := r.field(test.Name)
		return test.Holds(value.Plain(got), known)
	})
}

// field returns a part of a result by its path: args.FIELD, result or result.FIELD,
// with more fields and indexes behind dots. Numbers keep their digits.
func (r ToolResult) field(at string) (json.RawMessage, bool) {
	whole, rest, deeper := strings.Cut(at, ".")
	raw := r.Args
	if whole == "result" {
		if raw = r.JSON; raw == nil {
			raw, _ = json.Marshal(r.Text)
		}
	}
	if !deeper {
		return raw, len(raw) > 0
	}
	for name := range strings.SplitSeq(rest, ".") {
		var object map[string]json.RawMessage
		var list []json.RawMessage
		n, err := strconv.Atoi(name)
		switch {
		case json.Unmarshal(raw, &object) == nil && object[name] != nil:
			raw = object[name]
		case err == nil && json.Unmarshal(raw, &list) == nil && n >= 0 && n < len(list):
			raw = list[n]
		default:
			return nil, false
		}
	}
	return raw, !bytes.Equal(raw, []byte("null"))
}

// due returns the calls of the steps in front whose tools have not run.
func (t *turn) due() (runs []ToolRun) {
	for _, k := range t.tracks {
		step := t.step(k)
		if step == nil || step.Tool == "" || k.front().Ran || t.ran(step.Tool) || t.missing(step.RequiredContext) != "" || t.sit.Forwarded {
			continue
		}
		runs = append(runs, ToolRun{step.Tool, t.stepArguments(step), k.front().ID, step.ID})
	}
	return runs
}

// stepArguments fills a step's arguments. One that is a variable alone keeps its type;
// all are brought into the types of the tool's schema where that is known.
func (t *turn) stepArguments(step *Step) json.RawMessage {
	if step.Args == nil {
		if args := t.argumentsFor(step.Tool); args != nil {
			return args
		}
		return json.RawMessage("{}")
	}
	args := map[string]json.RawMessage{}
	for name, text := range step.Args {
		if m := templateForm().FindStringSubmatch(text); m != nil && m[0] == strings.TrimSpace(text) {
			if v, ok := t.value(m[1]); ok {
				args[name] = v.Value
			}
			continue
		}
		args[name], _ = json.Marshal(t.fillPlain(text))
	}
	spec, _ := t.spec(step.Tool)
	return typed(args, spec.Parameters)
}
