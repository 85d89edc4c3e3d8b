package playbook

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"parley/internal/llm"
	"parley/internal/playbook/condition"
	"parley/internal/playbook/judge"
	"parley/internal/playbook/resolve"
	"parley/internal/playbook/saying"
	"parley/internal/text/catalog"
)

// maxWords bounds how much of a message is looked at for words in common with rules,
// in characters.
const maxWords = 3000

// Situation is one message and its context.
type Situation struct {
	Platform string
	Channel  string // as guidelines name it: the platform's channel id
	User     string // platform-scoped id
	Roles    []string
	Text     string // what the person wrote, however long
	// Forwarded means that Text is somebody else's. It says nothing about the
	// person and asks for nothing, so no condition reads it, no value changes
	// and no journey starts or advances.
	Forwarded bool
	// Overheard means that Text was said to others. Only rules that speak unasked are about it,
	// and those that stand; it changes no value and moves no journey.
	Overheard bool
	MessageID string
	Recent    []llm.Message // the conversation before Text, oldest first
	State     State
	// Results are those of tools that ran for this message; for After.
	Results []ToolResult
	Tools   []llm.ToolSpec // what can be offered; nil means not known, and all are
	Events  []string       // Event constants
	// Enabled overrides the files' enabled flags, by guideline id.
	Enabled map[string]bool
	Now     time.Time // zero is time.Now
	// Spend goes into the model request; nil always allows the call.
	Spend func() error
}

// turn is one Guide call.
type turn struct {
	book  *Book
	sit   Situation
	lower string
	stems []string
	*record
	tracks    [2]*track // the person's, the channel's
	events    map[string]bool
	verdicts  map[string]judge.Verdict // by a condition's words
	known     *condition.Evidence
	arguments map[string]json.RawMessage // by tool
	changed   map[string]bool            // variables that had another value
	rejected  map[string]error           // values that validation refused
	learned   bool                       // a pattern found a value
	before    *Guidance                  // what was said before tools ran; nil in a message's first pass

	// What Guidance reports beyond instructions.
	says           catalog.Printer // the language of who is answered
	notes, reasons []string
	usage          llm.Usage
	calls          int
	dropped        []resolve.Dropped
}

// Guide works out how to answer one message. It makes at most one call to m, and
// none when nothing needs a model's judgement; with m nil only rules that need none
// apply. Problems with that call are reported in Guidance.Notes. The only error is
// ctx's. Nothing is stored: a caller that throws the Guidance away has made a dry
// run.
func (b *Book) Guide(ctx context.Context, m llm.Model, s Situation) (Guidance, error) {
	began := time.Now()
	t := b.newTurn(ctx, s)
	t.outdate()
	t.checkJourneys()
	switch {
	case s.Overheard:
		t.overhear(ctx, m)
		if err := ctx.Err(); err != nil {
			return Guidance{}, err
		}
	case !s.Forwarded:
		t.extract()
		if q, needed := t.questions(ctx); needed {
			t.judge(ctx, m, q)
		}
		if err := ctx.Err(); err != nil {
			return Guidance{}, err
		}
		for _, k := range t.tracks {
			t.walk(k)
		}
	}
	matches := t.match()
	top, all := t.choose(matches)
	notice := ""
	if !s.Overheard {
		notice = t.tellLapsed()
	}
	g := t.guidance(top, all)
	g.Notice = notice
	g.Result.EvaluationTimeMS = max(1, time.Since(began).Milliseconds())
	return g, nil
}

func (b *Book) newTurn(ctx context.Context, s Situation) *turn {
	if s.Now.IsZero() {
		s.Now = time.Now()
	}
	t := &turn{book: b, sit: s, lower: strings.ToLower(s.Text), events: map[string]bool{}, verdicts: map[string]judge.Verdict{},
		arguments: map[string]json.RawMessage{}, changed: map[string]bool{}, rejected: map[string]error{}, says: catalog.Of(ctx)}
	for _, e := range s.Events {
		t.events[e] = true
	}
	t.known = t.evidence()
	var err error
	if t.record, err = s.State.read(); err != nil {
		t.note("%v", err)
	}
	t.tracks = [2]*track{{standing: t.own}, {standing: t.shared, shared: true}}
	return t
}

func (t *turn) note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}
func (t *turn) why(format string, args ...any) {
	t.reasons = append(t.reasons, fmt.Sprintf(format, args...))
}

// words returns the words of the message, computed when first needed.
func (t *turn) words() []string {
	if t.stems == nil {
		t.stems = saying.Words(judge.Middle(t.sit.Text, maxWords))
	}
	return t.stems
}

// value returns the known value of a variable, default included.
func (t *turn) value(name string) (Value, bool) {
	v, ok := t.book.variables[name]
	if !ok {
		return Value{}, false
	}
	return v.known(t.record)
}

// askedFor reports whether the last answer asked for a variable.
func (t *turn) askedFor(v *Variable) bool { return t.own.Asked == v.Name || t.shared.Asked == v.Name }

// extract sets variables by their patterns.
func (t *turn) extract() {
	for _, v := range t.book.doc.Variables {
		if t.book.asks && !t.askedFor(v) {
			continue
		}
		if text, ok := v.match(t.sit.Text, t.askedFor(v)); ok {
			t.learned = true
			raw, _ := json.Marshal(text)
			t.offer(v.Name, raw, SourcePattern, 1)
		}
	}
}

// offer stores a value if it is valid, and notes the reason if it is not.
func (t *turn) offer(name string, raw json.RawMessage, source string, confidence float64) {
	v := t.book.variables[name]
	if v == nil || t.sit.Forwarded {
		return
	}
	got, err := v.valid.Check(raw)
	if err != nil {
		t.rejected[name] = err
		t.note("a value for %s was not taken: %v", name, err) // the value itself must not reach a log
		return
	}
	store := t.store(v)
	old, had := store[name]
	if had && bytes.Equal(old.Value, got) {
		return
	}
	if had && source == SourceModel && t.fresh(old) {
		return // a pattern read this very message with certainty
	}
	delete(t.rejected, name)
	t.changed[name] = t.changed[name] || had
	store[name] = Value{Name: name, Value: got, At: t.sit.Now, Confidence: confidence, MessageID: t.sit.MessageID, Source: source}
	t.why("learned %s from the message (%s)", name, source)
}

func (t *turn) fresh(v Value) bool {
	return v.Source == SourcePattern && v.MessageID == t.sit.MessageID && v.At.Equal(t.sit.Now)
}

// withdraw forgets a value the person took back.
func (t *turn) withdraw(name string) {
	v := t.book.variables[name]
	if v == nil {
		return
	}
	store := t.store(v)
	if old, had := store[name]; had && !t.fresh(old) {
		delete(store, name)
		t.changed[name] = true
		t.why("the person took back %s", name)
	}
}

func (t *turn) enabled(g *Guideline) bool {
	if on, said := t.sit.Enabled[g.ID]; said {
		return on
	}
	return g.IsEnabled()
}

// scope explains why a rule is out of scope here, or returns "".
func (t *turn) scope(g *Guideline) string {
	switch {
	case t.sit.Overheard && !g.Unasked && !g.stands():
		return "nobody asked"
	case len(g.Platforms) > 0 && !slices.Contains(g.Platforms, t.sit.Platform):
		return "not on this platform"
	case len(g.Channels) > 0 && !slices.Contains(g.Channels, t.sit.Channel):
		return "not in this channel"
	case len(g.Roles) > 0 && !slices.ContainsFunc(g.Roles, func(r string) bool { return slices.Contains(t.sit.Roles, r) }):
		return "not for this person's roles"
	case len(g.Tags) > 0 && !slices.ContainsFunc(g.Tags, func(tag string) bool { return slices.Contains(t.person.Tags, tag) }):
		return "not for this person's tags"
	case len(g.homes) > 0 && !slices.ContainsFunc(g.homes, t.at):
		return "belongs to another step of a journey"
	}
	return ""
}

// at reports whether the conversation is in that place of a journey; a step
// reached and completed with this message counts.
func (t *turn) at(h home) bool {
	for _, k := range t.tracks {
		if k.final != nil && k.done.ID == h.journey && (h.step == "" || h.step == k.final.ID) {
			return true
		}
		if j := k.front(); j != nil && j.ID == h.journey && (h.step == "" || h.step == j.Step) {
			return true
		}
	}
	return false
}

// gate explains why a rule may not apply, or returns "".
func (t *turn) gate(g *Guideline) string {
	if why := t.scope(g); why != "" {
		return why
	}
	if name := t.missing(g.needs); name != "" {
		return "needs " + name + ", which is not known"
	}
	return ""
}

// match finds the rules whose conditions hold, with their score and reason.
func (t *turn) match() map[string]Match {
	out := map[string]Match{}
	for _, g := range t.book.doc.Guidelines {
		if t.before != nil && t.stays(g, out) {
			continue
		}
		if !t.enabled(g) {
			if score, _ := t.holds(g.when); score >= t.book.threshold && g.when.Kind != condition.Always {
				t.drop(g.ID, resolve.Disabled, "switched off")
			}
			continue
		}
		score, reason := t.holds(g.when)
		if score <= 0 {
			continue
		}
		if why := t.gate(g); why != "" {
			if g.when.Kind != condition.Always {
				t.drop(g.ID, resolve.Gated, why)
			}
			continue
		}
		if score < t.book.threshold {
			t.drop(g.ID, resolve.BelowThreshold, fmt.Sprintf("relevance %.2f is below %.2f", score, t.book.threshold))
			continue
		}
		if t.repeated(g) {
			t.drop(g.ID, resolve.AlreadyApplied, "applied before, and nothing brought it up anew")
			continue
		}
		out[g.ID] = t.newMatch(g, score, reason)
	}
	return out
}

func (t *turn) drop(id string, r resolve.Reason, detail string) {
	t.dropped = append(t.dropped, resolve.Dropped{ID: id, Reason: r, Detail: detail})
}

// repeated reports whether a rule was applied before and is not due again. A rule
// that the newest message decides is due whenever it holds; a rule on a variable is
// due once; for other rules the model was told what had been applied, and judged
// accordingly.
func (t *turn) repeated(g *Guideline) bool {
	if t.own.Applied[g.ID] != g.version {
		return false
	}
	if g.Continuous != nil {
		return !*g.Continuous
	}
	return g.when.Kind == condition.Var && !t.changed[g.when.Test.Name]
}

func (t *turn) newMatch(g *Guideline, score float64, reason string) Match {
	m := Match{GuidelineID: g.ID, Priority: g.Priority, RelevanceScore: score, Condition: g.Condition,
		Action: t.fill(g.Action), Tools: t.offered(g.Tools), Confidence: 1, Reasoning: reason, EvaluatedAt: t.sit.Now}
	if g.when.Judged() || g.when.Kind == condition.Regex {
		m.Confidence = score
	}
	for _, name := range g.needs {
		if v, ok := t.value(name); ok {
			if m.MatchedContext == nil {
				m.MatchedContext = map[string]json.RawMessage{}
			}
			m.MatchedContext[name] = v.Value
		}
	}
	for _, tool := range m.Tools {
		if args := t.argumentsFor(tool); args != nil {
			if m.ToolParameters == nil {
				m.ToolParameters = map[string]json.RawMessage{}
			}
			m.ToolParameters[tool] = args
		}
	}
	return m
}

// choose resolves the matched rules against each other and cuts to the top N.
func (t *turn) choose(matched map[string]Match) (top, all []Match) {
	r := resolve.Resolve(t.candidates(matched), t.book.top)
	t.dropped = append(t.dropped, r.Dropped...)
	for _, c := range r.Kept {
		m := matched[c.ID]
		if by := r.By[c.ID]; len(by) > 0 {
			m.Reasoning = "entailed by " + strings.Join(by, " and ")
		}
		top = append(top, m)
	}
	all = slices.Clone(top)
	for _, c := range r.Cut {
		all = append(all, matched[c.ID])
	}
	return top, all
}

// candidates returns the matched rules and those that they entail, directly or
// not, where these may apply. The latter are added to matched.
func (t *turn) candidates(matched map[string]Match) []resolve.Candidate {
	out := make([]resolve.Candidate, 0, len(matched))
	queue := make([]*Guideline, 0, len(matched))
	for _, g := range t.book.doc.Guidelines {
		if _, ok := matched[g.ID]; ok {
			queue = append(queue, g)
		}
	}
	own := maps.Clone(matched)
	for ; len(queue) > 0; queue = queue[1:] {
		g := queue[0]
		_, is := own[g.ID]
		c := resolve.Candidate{ID: g.ID, Priority: g.Priority, Relevance: matched[g.ID].RelevanceScore, CreatedAt: g.CreatedAt,
			Matched: is, Standing: g.stands(), Excludes: g.Excludes, Entails: g.Entails}
		if g.DependsOn != nil {
			c.All, c.Any = g.DependsOn.All, g.DependsOn.Any
		}
		out = append(out, c)
		for _, id := range g.Entails {
			other := t.book.guidelines[id]
			if _, seen := matched[id]; seen {
				continue
			}
			if why := t.gate(other); why != "" || !t.enabled(other) {
				t.drop(id, resolve.Gated, "entailed by "+g.ID+", but "+cmp.Or(why, "switched off"))
				continue
			}
			matched[id] = t.newMatch(other, matched[g.ID].RelevanceScore, "entailed by "+g.ID)
			queue = append(queue, other)
		}
	}
	return out
}

// judge gets verdicts that only a model can give: from the cache, or with one call.
// Failures become notes; the deterministic rules still apply.
func (t *turn) judge(ctx context.Context, m llm.Model, q judge.Question) {
	j := judge.Judge{Model: m, Name: t.book.options.Model, Spend: t.sit.Spend, Cache: t.book.verdicts,
		Of: t.sit.Platform + " " + t.sit.Channel + " " + t.sit.User}
	r := j.Ask(ctx, q, t.sit.Recent)
	t.usage, t.calls = t.usage.Add(r.Usage), t.calls+r.Calls
	t.reasons, t.notes = append(t.reasons, r.Why...), append(t.notes, r.Notes...)
	for _, c := range q.Conditions {
		v, given := r.Verdicts[judge.Condition(c.ID)]
		if old, had := t.verdicts[c.When]; given && (!had || v.Relevance > old.Relevance) {
			t.verdicts[c.When] = v
		}
	}
	for _, v := range q.Variables {
		switch got := r.Verdicts[judge.Variable(v.Name)]; {
		case got.Withdrawn:
			t.withdraw(v.Name)
		case got.Value != nil:
			t.offer(v.Name, got.Value, SourceModel, got.Relevance)
		}
	}
	for _, p := range q.Tools {
		if got := r.Verdicts[judge.Tool(p.Tool)]; got.Value != nil {
			t.arguments[p.Tool] = got.Value
		}
	}
}
