package playbook

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"parley/internal/playbook/condition"
	"parley/internal/playbook/review"
	"parley/internal/playbook/saying"
	"parley/internal/playbook/sheet"
	"parley/internal/playbook/value"
	"parley/internal/text"
)

// compile checks references between definitions and prepares them for matching.
// Mistakes go to the files that the definitions came from.
func (b *Book) compile() {
	if s := b.doc.Settings; s != nil {
		mode := strings.ToLower(s.Mode)
		b.strict, b.composited, b.fallback = s.Strict || mode == "strict", mode == "composited" && !s.Strict, s.Fallback
		if s.Threshold != nil {
			b.threshold = *s.Threshold
		}
		if s.Top != nil {
			b.top = *s.Top
		}
	}
	b.register()
	for _, v := range b.doc.Variables {
		v.compile()
	}
	for _, r := range b.doc.Replies {
		b.templates(r.Text, r.At, "text")
	}
	for i, g := range b.doc.Guidelines {
		b.compileGuideline(g, i)
		if b.speaks = b.speaks || g.Unasked; g.Unasked && g.Handoff {
			g.At.Mistake("unasked", "who asked nothing is not handed over to people: leave out handoff")
		}
	}
	for _, j := range b.doc.Journeys {
		b.compileJourney(j)
	}
	b.compileGuards()
	b.share()
	b.listen()
	b.index = newIndex(b.doc.Guidelines)
	if s := b.doc.Settings; s != nil {
		b.asks = s.AutoExtractContext != nil && !*s.AutoExtractContext
		if s.EnableJourneys != nil && !*s.EnableJourneys { // checked, and away
			b.doc.Journeys, b.journeys = nil, map[string]*Journey{}
		}
	}
}

// share settles which variables are the channel's: those that say so, and those that
// say nothing and only journeys of the channel ask for.
func (b *Book) share() {
	wanted := map[string][2]bool{} // by persons' journeys, by channels'
	for _, j := range b.doc.Journeys {
		for _, s := range j.Steps {
			for _, name := range s.RequiredContext {
				w := wanted[name]
				wanted[name] = [2]bool{w[0] || !j.shared(), w[1] || j.shared()}
			}
		}
	}
	for _, v := range b.doc.Variables {
		if v.shared = v.Scope == "channel" || v.Scope == "" && !v.PerPerson && wanted[v.Name] == [2]bool{false, true}; v.shared && v.PerPerson {
			v.At.Mistake("per_person", "a value of the channel cannot be kept for a person")
		}
	}
}

// listen notes of which tools the book wants to know what they gave back.
func (b *Book) listen() {
	hear := func(c condition.Condition) {
		c.Each(func(part condition.Condition) {
			if part.Kind == condition.Tool {
				b.heeded = append(b.heeded, part.Lit)
			}
		})
	}
	for _, g := range b.doc.Guidelines {
		hear(g.when)
		b.heeded = append(b.heeded, g.After...)
	}
	for _, j := range b.doc.Journeys {
		for _, s := range j.Steps {
			if s.Tool != "" {
				b.heeded = append(b.heeded, s.Tool)
			}
			for _, tr := range s.Transitions {
				hear(tr.when)
			}
		}
	}
	for _, v := range b.doc.Variables {
		if tool, _ := v.source(); tool != "" {
			b.heeded = append(b.heeded, tool)
		}
	}
}

// register enters every name, which the checks between definitions need.
func (b *Book) register() {
	for _, v := range b.doc.Variables {
		unique(b.variables, v.Name, v, v.At, "name")
	}
	for _, r := range b.doc.Replies {
		unique(b.replies, r.ID, r, r.At, "id")
	}
	for _, j := range b.doc.Journeys {
		unique(b.journeys, j.ID, j, j.At, "id")
		j.steps = map[string]*Step{}
		for _, s := range j.Steps {
			unique(j.steps, s.ID, s, s.At, "id")
		}
	}
	for _, g := range b.doc.Guidelines {
		unique(b.guidelines, g.ID, g, g.At, "id")
	}
}

func unique[T any](all map[string]*T, id string, v *T, at sheet.Place, field string) {
	if _, taken := all[id]; taken && id != "" {
		at.Mistake(field, "%q is defined twice", id)
		return
	}
	all[id] = v
}

func (v *Variable) compile() {
	var err error
	if v.valid, err = value.NewChecker(v.DataType, v.Validation); err != nil {
		v.At.Mistake("validation", "%v", err)
	}
	v.version = version(v.ExtractionPrompt, v.Description)
	if v.Lasts != "" {
		if v.lasts = span(v.Lasts); v.lasts <= 0 {
			v.At.Mistake("lasts", "%q is no length of time like 30m, 12h or 90d", v.Lasts)
		}
	}
	v.words = saying.Words(v.Name + " " + v.Description + " " + v.ExtractionPrompt)
	for list, patterns := range map[string][]string{"patterns": v.Patterns, "answer_patterns": v.AnswerPatterns} {
		for i, p := range patterns {
			if _, err := value.Compile(p); err != nil {
				v.At.Mistake(fmt.Sprintf("%s[%d]", list, i), "%v", err)
			}
		}
	}
	for _, p := range slices.Concat(v.Patterns, v.AnswerPatterns) {
		if re, err := regexp.Compile(p); err == nil {
			v.patterns = append(v.patterns, re)
		}
	}
	if v.DefaultValue == nil {
		return
	}
	raw, err := json.Marshal(v.DefaultValue)
	if err == nil {
		v.fallback, err = v.valid.Check(raw)
	}
	if err != nil {
		v.At.Mistake("default_value", "does not fit the variable: %v", err)
	}
}

func (b *Book) compileGuideline(g *Guideline, order int) {
	g.order = order
	g.when = b.condition(g.Condition, g.At, "condition")
	g.version = version(g.Condition, g.Action, g.Reply, g.Canned)
	b.compileReply(g)
	for i, tool := range g.Tools {
		b.checkTool(tool, g.At, fmt.Sprintf("tools[%d]", i))
	}
	known("variable", g.RequiredContext, b.variables, g.At, "required_context")
	g.needs = append(g.needs, g.RequiredContext...)
	known("guideline", g.Excludes, b.guidelines, g.At, "excludes")
	known("guideline", g.Entails, b.guidelines, g.At, "entails")
	if d := g.DependsOn; d != nil {
		known("guideline", d.All, b.guidelines, g.At, "depends_on.all")
		known("guideline", d.Any, b.guidelines, g.At, "depends_on.any")
		for i, id := range d.All {
			if id == g.ID || slices.Contains(g.Excludes, id) {
				g.At.Mistake(fmt.Sprintf("depends_on.all[%d]", i), "%q cannot depend on itself or on what it excludes", g.ID)
			}
		}
	}
	if slices.Contains(g.Excludes, g.ID) {
		g.At.Mistake("excludes", "%q excludes itself", g.ID)
	}
	b.compileEnforced(g)
	b.compileHome(g)
}

// compileReply handles the three ways to write a ready-made answer.
func (b *Book) compileReply(g *Guideline) {
	action := strings.TrimSpace(g.Action)
	inAction, isReply := strings.CutPrefix(action, "reply:")
	given := 0
	for _, is := range []bool{action != "", g.Reply != "", g.Canned != ""} {
		if is {
			given++
		}
	}
	if given != 1 {
		g.At.Mistake("", "wants exactly one of action, reply and canned")
	}
	switch {
	case g.Canned != "":
		knownName("reply", g.Canned, b.replies, g.At, "canned")
		if r := b.replies[g.Canned]; r != nil {
			g.reply = r.Text
		}
	case g.Reply != "":
		g.reply = g.Reply
	case isReply:
		g.reply = strings.TrimSpace(inAction)
	}
	field := "action"
	if g.Reply != "" {
		field = "reply"
	}
	names := b.templates(cmp.Or(g.reply, g.Action), g.At, field)
	if g.reply != "" {
		g.needs = append(g.needs, names...)
	}
}

func (b *Book) compileHome(g *Guideline) {
	if g.JourneyID == "" {
		if g.JourneyStep != "" {
			g.At.Mistake("journey_step", "needs journey_id beside it")
		}
		return
	}
	if !knownName("journey", g.JourneyID, b.journeys, g.At, "journey_id") {
		return
	}
	knownName("step", g.JourneyStep, b.journeys[g.JourneyID].steps, g.At, "journey_step")
	g.homes = append(g.homes, home{g.JourneyID, g.JourneyStep})
}

func (b *Book) compileJourney(j *Journey) {
	if j.Trigger != "" {
		j.trigger = b.condition(j.Trigger, j.At, "trigger")
	}
	sound := knownName("step", j.InitialStep, j.steps, j.At, "initial_step")
	for _, s := range j.Steps {
		sound = b.compileStep(j, s) && sound
	}
	if !sound {
		return
	}
	if step, cycle := j.stuck(); step != "" {
		j.steps[step].At.Mistake("transitions", "a cycle without an exit: %s never reaches a terminal step", cycle)
	}
}

// compileStep reports whether all transitions lead to steps.
func (b *Book) compileStep(j *Journey, s *Step) bool {
	known("variable", s.RequiredContext, b.variables, s.At, "required_context")
	known("guideline", s.Guidelines, b.guidelines, s.At, "guidelines")
	for _, id := range s.Guidelines {
		if g := b.guidelines[id]; g != nil {
			g.homes = append(g.homes, home{j.ID, s.ID})
		}
	}
	b.compileTool(s)
	sound := true
	for _, tr := range s.Transitions {
		sound = knownName("step", tr.ToStep, j.steps, tr.At, "to_step") && sound
		tr.when = b.condition(cmp.Or(tr.Condition, string(condition.Always)), tr.At, "condition")
	}
	slices.SortStableFunc(s.Transitions, func(x, y *Transition) int { return cmp.Compare(y.Priority, x.Priority) })
	return sound
}

// compileTool checks the tool that a step runs.
func (b *Book) compileTool(s *Step) {
	switch {
	case s.Tool == "" && len(s.Args) > 0:
		s.At.Mistake("args", "arguments of no tool")
	case s.Tool != "" && s.IsTerminal:
		s.At.Mistake("tool", "the last step runs no tool: put it into a step before")
	case s.Tool != "":
		b.checkTool(s.Tool, s.At, "tool")
	}
	for _, name := range sortedKeys(s.Args) {
		b.templates(s.Args[name], s.At, "args."+name)
	}
}

// checkTool reports a tool that does not exist, where the tools are known.
func (b *Book) checkTool(tool string, at sheet.Place, field string) {
	if b.options.Tools != nil && !slices.Contains(b.options.Tools, tool) {
		at.Mistake(field, "unknown tool %q%s", tool, sheet.Suggest(tool, b.options.Tools))
	}
}

// condition compiles and checks one. A condition that is missing was reported
// when the file was read.
func (b *Book) condition(text string, at sheet.Place, field string) condition.Condition {
	if strings.TrimSpace(text) == "" {
		return condition.Condition{}
	}
	c, err := condition.Parse(text, eventNames)
	if err != nil {
		at.Mistake(field, "%v", err)
		return c
	}
	c.Each(func(part condition.Condition) {
		if part.Kind == condition.Var {
			b.checkTest(part.Test, at, field)
		}
	})
	return c
}

// checkTest reports a test of a variable that there is not, or that its values can
// never be compared with.
func (b *Book) checkTest(t value.Test, at sheet.Place, field string) {
	v, ok := b.variables[t.Name]
	if !ok {
		at.Mistake(field, "unknown variable %q%s", t.Name, sheet.Suggest(t.Name, sortedKeys(b.variables)))
		return
	}
	var err error
	switch t.Op {
	case "~":
		_, err = value.Compile(t.Value)
	case "=", "!=", "<", "<=", ">", ">=":
		raw, _ := json.Marshal(t.Value)
		_, err = v.valid.Coerce(raw)
	}
	if err != nil {
		at.Mistake(field, "%q cannot be compared with %s: %v", t.Value, v.Name, err)
	}
}

// known reports the names in a list that are not in all.
func known[T any](what string, names []string, all map[string]*T, at sheet.Place, field string) {
	for i, name := range names {
		knownName(what, name, all, at, fmt.Sprintf("%s[%d]", field, i))
	}
}

// knownName reports a name that is not in all. An empty one was reported when
// the file was read.
func knownName[T any](what, name string, all map[string]*T, at sheet.Place, field string) bool {
	if _, ok := all[name]; ok || name == "" {
		return ok
	}
	at.Mistake(field, "unknown %s %q%s", what, name, sheet.Suggest(name, sortedKeys(all)))
	return false
}

var templateForm = text.Pattern(`\{\{\s*([A-Za-z0-9_]*)\s*\}\}`)

// templates returns the variables a text names in {{ }}.
func (b *Book) templates(text string, at sheet.Place, field string) []string {
	var names []string
	for _, m := range templateForm().FindAllStringSubmatch(text, -1) {
		if _, ok := b.variables[m[1]]; !ok {
			at.Mistake(field, "unknown variable %q in {{ }}%s", m[1], sheet.Suggest(m[1], sortedKeys(b.variables)))
		}
		names = append(names, m[1])
	}
	return names
}

// version changes whenever one of the texts does.
func version(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:6])
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// compileEnforced checks what a rule says about the answer itself.
func (b *Book) compileEnforced(g *Guideline) {
	for field, phrases := range map[string][]string{"must_say": g.MustSay, "must_not_say": g.MustNotSay} {
		for i, p := range phrases {
			at := fmt.Sprintf("%s[%d]", field, i)
			if err := review.Check(p); err != nil {
				g.At.Mistake(at, "%v", err)
			}
			g.needs = append(g.needs, b.templates(p, g.At, at)...)
		}
		if len(phrases) > 0 && !g.Enforce {
			g.At.Mistake(field, "needs enforce: true beside it")
		}
	}
	g.needs = append(g.needs, b.templates(g.Say, g.At, "say")...)
	if g.Say != "" && !g.Enforce {
		g.At.Mistake("say", "needs enforce: true beside it")
	}
}

// enforced returns a rule as drafts are compared with it.
func (t *turn) enforced(g *Guideline, action string) review.Rule {
	r := review.Rule{ID: g.ID, Action: action, Tools: g.Tools, Say: t.fillPlain(g.Say)}
	if g.reply != "" {
		r.Action, r.Verbatim = "", t.fillPlain(g.reply)
	}
	for _, p := range g.MustSay {
		r.MustSay = append(r.MustSay, t.fillPlain(p))
	}
	for _, p := range g.MustNotSay {
		r.MustNotSay = append(r.MustNotSay, t.fillPlain(p))
	}
	return r
}
