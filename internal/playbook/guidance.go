package playbook

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"time"

	"parley/internal/llm"
	"parley/internal/playbook/resolve"
	"parley/internal/playbook/review"
	"parley/internal/playbook/saying"
	"parley/internal/playbook/value"
	"parley/internal/text/catalog"
)

// fallbackReply is said in more than one place.
const fallbackReply = "I cannot help with that here. Please ask in other words or turn to a person of the team."

// Guidance is how to answer one message.
type Guidance struct {
	// Instructions is Markdown for the changing part of the prompt; "" when
	// there is nothing to say.
	Instructions string
	// Tools are the names that the applying rules offer, by priority; ToolParams
	// has the arguments already known, valid by the tool's schema.
	Tools      []string
	ToolParams map[string]json.RawMessage
	// Run are calls to make now, before the model is asked: those of journeys' steps.
	// What comes of them goes to After.
	Run []ToolRun
	// Reply, when not "", is the whole answer: no model call is needed. With
	// Strict there is always one.
	Reply  string
	Strict bool
	// Unasked is true if a rule has the bot speak although Text was said to others.
	Unasked bool
	// Notice is said before the answer, whatever that is; "" is nothing.
	Notice string
	Demands
	// Kind classifies the answer, as the rules' owner said; From says in a few words
	// where Reply is from, "" without one.
	Kind Kind
	From string
	// State has to be stored for the next message.
	State  State
	Result MatchResult
	// Why explains the outcome in plain words, for /why; Notes lists what went
	// wrong on the way, for the log.
	Why   []string
	Notes []string
	// stands are those lines of Why that say where things stand now.
	stands []string
	Usage  llm.Usage // of the structured call
	Calls  int       // model calls made: 0 or 1
}

// HandOver passes a conversation on to people: By names the rule or the step, nil for
// none; For is the reason, in the owner's words.
type HandOver struct {
	By  catalog.Phrase
	For string
}

// Demands are requirements on the model's answer.
type Demands struct {
	// Enforced are the rules that the answer is compared with before it is sent.
	Enforced []review.Rule
	// Verbatim are texts that the answer has to contain word for word.
	Verbatim []string
	// HandOver passes the conversation on to people, after Reply.
	HandOver HandOver
	// Composed are the texts that the answer is put together from: it states nothing
	// else. Empty: the model words its answers itself.
	Composed []string
}

// Kind classifies an answer.
type Kind string

// The kinds of a guideline's outcome; "" is an answer.
const (
	Asks       Kind = "asked"
	OutOfScope Kind = "out_of_scope"
	Unsafe     Kind = "unsafe"
)

// Match is a rule that applies to the message.
type Match struct {
	GuidelineID    string                     `json:"guideline_id"`
	Priority       int                        `json:"priority"`
	RelevanceScore float64                    `json:"relevance_score"` // 0-1
	Condition      string                     `json:"condition"`
	Action         string                     `json:"action"`
	Tools          []string                   `json:"tools"`
	ToolParameters map[string]json.RawMessage `json:"tool_parameters"`
	MatchedContext map[string]json.RawMessage `json:"matched_context"`
	Confidence     float64                    `json:"confidence"` // 0-1
	Reasoning      string                     `json:"reasoning,omitempty"`
	EvaluatedAt    time.Time                  `json:"evaluated_at"`
}

// MatchResult is the whole evaluation, with the rules that were dropped.
type MatchResult struct {
	Matches          []Match           `json:"matches"` // ranked
	TopMatches       []Match           `json:"top_matches"`
	CombinedAction   string            `json:"combined_action,omitempty"`
	ToolsToExecute   []ToolExecution   `json:"tools_to_execute"`
	EvaluationTimeMS int64             `json:"evaluation_time_ms"` // at least 1, the model call included
	Dropped          []resolve.Dropped `json:"dropped,omitempty"`
}

// ToolExecution is a tool that a rule offers, once, under its first rule.
type ToolExecution struct {
	ToolName    string          `json:"tool_name"`
	Parameters  json.RawMessage `json:"parameters"`
	Priority    int             `json:"priority"`
	GuidelineID string          `json:"guideline_id"`
}

//go:embed guidance.md
var guidanceText string

var guidanceTemplate = template.Must(template.New("guidance.md").Parse(guidanceText))

// stand is where a journey is.
type stand struct {
	Journey string
	Step    *Step
	Done    bool
}

// stands lists where the journeys in front are, and what ended with this message.
func (t *turn) stands() (list []stand) {
	for _, k := range t.tracks {
		switch step := t.step(k); {
		case k.final != nil:
			list = append(list, stand{k.done.Name, k.final, true})
		case step != nil:
			list = append(list, stand{t.book.journeys[k.front().ID].Name, step, false})
		}
	}
	return list
}

// openJourneys names the journeys that wait and, after one ended, the next.
func (t *turn) openJourneys() (names []string) {
	for _, k := range t.tracks {
		for _, j := range k.Journeys {
			if def := t.book.journeys[j.ID]; def != nil && (j.Status == Waiting || j.Status == Active && k.final != nil) {
				names = append(names, fmt.Sprintf("%q, at the step %q", def.Name, def.steps[j.Step].Name))
			}
		}
	}
	return names
}

// view is the data of the template guidance.md.
type view struct {
	Actions []string
	Stands  []stand
	Open    []string // journeys that wait
	Texts   []string // to put the answer together from
	Ask     *Variable
	Wrong   string // why the last answer was not taken
	Known   []string
	Terms   []*Term
}

func (t *turn) guidance(top, all []Match) Guidance {
	g := Guidance{Strict: t.book.strict, Usage: t.usage, Calls: t.calls, ToolParams: map[string]json.RawMessage{}}
	g.Result = MatchResult{Matches: all, TopMatches: top, Dropped: t.dropped}
	g.Unasked = t.sit.Overheard && slices.ContainsFunc(top, func(m Match) bool { return t.book.guidelines[m.GuidelineID].Unasked })
	ask := t.asksNext()
	g.Reply, g.From, g.Kind = t.reply(top, ask)
	v := view{Ask: ask, Stands: t.stands(), Open: t.openJourneys(), Terms: t.terms(), Known: t.facts()}
	if ask != nil && t.rejected[ask.Name] != nil {
		v.Wrong = t.rejected[ask.Name].Error()
	}
	for _, m := range top {
		def := t.book.guidelines[m.GuidelineID]
		action := m.Action
		if def.reply != "" {
			action = "Say this, word for word: " + t.fillPlain(def.reply)
		}
		v.Actions = append(v.Actions, action)
		if g.Reply == "" || def.reply != "" { // beside a ready-made answer nothing else is acted on
			t.own.Applied[m.GuidelineID] = def.version
		}
		t.whyRule(m, def, g.Reply != "")
		t.addTools(&g, m)
		if def.Enforce {
			g.Enforced = append(g.Enforced, t.enforced(def, m.Action))
		}
	}
	t.handOver(&g, top, v)
	if !t.sit.Overheard {
		g.Run = t.due()
	}
	switch {
	case g.Reply != "":
	case t.book.composited:
		g.Composed = t.composed(top, ask)
		v.Texts = g.Composed
		if len(g.Composed) == 0 {
			g.Reply, g.From, g.Kind = cmp.Or(t.book.fallback, t.says.Text(fallbackReply)), "the fallback", OutOfScope
		}
	default:
		g.Verbatim = t.verbatim(top)
	}
	g.Result.CombinedAction = strings.Join(v.Actions, "\n")
	g.Instructions = t.render(v)
	said := len(t.reasons)
	t.whyJourney(v)
	g.stands = slices.Clone(t.reasons[said:])
	for _, d := range t.dropped {
		t.why("rule %s does not apply (%s): %s", d.ID, d.Reason, d.Detail)
	}
	var err error
	if g.State, err = t.write(); err != nil {
		t.note("%v", err)
		g.State = t.sit.State
	}
	g.Why, g.Notes = t.reasons, t.notes
	return g
}

// handOver decides whether people take over: for a rule that applies or, once, for a
// step that is reached.
func (t *turn) handOver(g *Guidance, top []Match, v view) {
	if t.sit.Overheard {
		return
	}
	for _, m := range top {
		if def := t.book.guidelines[m.GuidelineID]; def.Handoff && g.HandOver.By == nil {
			g.HandOver.By = catalog.Fill("the rule %s", m.GuidelineID)
			if def.reply == "" {
				g.HandOver.For = m.Action
			}
		}
	}
	for _, s := range v.Stands {
		if !s.Step.Handoff || v.Ask != nil && !s.Done {
			continue
		}
		reached := s.Journey + "/" + s.Step.ID
		if g.HandOver.By == nil && (s.Done || t.own.Applied[reached] == "") {
			g.HandOver = HandOver{catalog.Fill("the step %s of %s", s.Step.Name, s.Journey), s.Step.Description}
		}
		if !s.Done { // an end is reached once
			t.own.Applied[reached] = "handed over"
		}
	}
}

func (t *turn) addTools(g *Guidance, m Match) {
	for _, tool := range m.Tools {
		if slices.Contains(g.Tools, tool) {
			continue
		}
		g.Tools = append(g.Tools, tool)
		args := json.RawMessage("{}")
		if known := m.ToolParameters[tool]; known != nil {
			args = known
			g.ToolParams[tool] = known
		}
		g.Result.ToolsToExecute = append(g.Result.ToolsToExecute, ToolExecution{tool, args, m.Priority, m.GuidelineID})
	}
}

// whyRule explains a rule that applies. Beside a ready-made answer, one that neither has a
// text nor checks or hands over has no say.
func (t *turn) whyRule(m Match, def *Guideline, ready bool) {
	if ready && def.reply == "" && !def.Enforce && !def.Handoff {
		t.why("rule %s matched (relevance %.2f, priority %d), and has no say: the answer is ready-made", m.GuidelineID, m.RelevanceScore,
			m.Priority)
		return
	}
	t.why("rule %s applies (relevance %.2f, priority %d): %s", m.GuidelineID, m.RelevanceScore, m.Priority, m.Reasoning)
}

// whyJourney explains where the journeys stand.
func (t *turn) whyJourney(v view) {
	for _, s := range v.Stands {
		if !s.Done {
			t.why("journey %q is at step %q", s.Journey, s.Step.Name)
		}
	}
	for _, name := range v.Open {
		t.why("journey %s waits", name)
	}
	if v.Ask != nil {
		t.why("%s is asked for next", v.Ask.Name)
	}
}

func (t *turn) render(v view) string {
	if len(v.Actions) == 0 && len(v.Stands)+len(v.Open)+len(v.Texts) == 0 && v.Ask == nil && len(v.Terms) == 0 && len(v.Known) == 0 {
		return ""
	}
	var b strings.Builder
	if err := guidanceTemplate.Execute(&b, v); err != nil {
		t.note("instructions: %v", err)
	}
	return strings.TrimSpace(b.String())
}

// asksNext is toAsk, and notes what is asked for. Who said something to others is asked nothing.
func (t *turn) asksNext() *Variable {
	if t.sit.Overheard {
		return nil
	}
	ask := t.toAsk()
	t.own.Asked, t.shared.Asked = "", ""
	if ask != nil && ask.shared {
		t.shared.Asked = ask.Name
	} else if ask != nil {
		t.own.Asked = ask.Name
	}
	return ask
}

// toAsk returns the one variable to ask for next: what the step needs, then what
// is required anywhere.
func (t *turn) toAsk() *Variable {
	at := false
	for _, k := range t.tracks {
		if k.final != nil {
			return nil
		}
		if step := t.step(k); step != nil {
			if name := t.missing(step.RequiredContext); name != "" {
				return t.book.variables[name]
			}
			at = true
		}
	}
	if at {
		return nil
	}
	for _, v := range t.book.doc.Variables {
		if v.Required && t.missing([]string{v.Name}) != "" {
			return v
		}
	}
	return nil
}

// reply is the ready-made answer, if one is due: the texts of the rules that apply, in
// their order and each once, if only rules that stand whatever the message says rank above
// the first; in strict mode of any rule, else the question to ask, else the fallback. kind
// is what the answer is, also where it is the model's.
func (t *turn) reply(top []Match, ask *Variable) (text, from string, kind Kind) {
	if ask != nil {
		kind = Asks
	}
	if texts, rules, is := t.ready(top); len(texts) == 1 {
		return texts[0], "the rule " + rules[0], is
	} else if len(texts) > 1 {
		return strings.Join(texts, "\n\n"), "the rules " + strings.Join(rules, ", "), is
	}
	switch {
	case !t.book.strict:
		for _, m := range slices.Backward(top) {
			kind = cmp.Or(Kind(t.book.guidelines[m.GuidelineID].Outcome), kind)
		}
		return "", "", kind
	case ask != nil && ask.Ask != "":
		return ask.Ask, "what to ask for " + ask.Name, Asks
	}
	return cmp.Or(t.book.fallback, t.says.Text(fallbackReply)), "the fallback", OutOfScope
}

// ready lists the ready-made texts that are the whole answer, none if something about the
// message ranks above them, with their rules and the kind of the first that has one.
func (t *turn) ready(top []Match) (texts, rules []string, kind Kind) {
	for _, m := range top {
		def := t.book.guidelines[m.GuidelineID]
		switch {
		case def.reply != "":
			rules, kind = append(rules, def.ID), cmp.Or(kind, Kind(def.Outcome))
			if text := t.fillPlain(def.reply); !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		case len(texts) == 0 && !t.book.strict && !def.stands():
			return nil, nil, ""
		}
	}
	return texts, rules, kind
}

// verbatim lists the ready-made texts that the model has to say, word for word, and that
// nothing else enforces.
func (t *turn) verbatim(top []Match) (list []string) {
	for _, m := range top {
		if def := t.book.guidelines[m.GuidelineID]; def.reply != "" && !def.Enforce {
			list = append(list, t.fillPlain(def.reply))
		}
	}
	return list
}

// facts returns the known variables as JSON, so that a value cannot be mistaken for
// an instruction.
func (t *turn) facts() (out []string) {
	for _, v := range t.book.doc.Variables {
		if got, ok := t.value(v.Name); ok {
			text, _ := json.Marshal(got.Value)
			out = append(out, fmt.Sprintf("%s (%s) = %s", v.Name, v.Description, text))
		}
	}
	return out
}

// fill puts values into an action, as JSON.
func (t *turn) fill(text string) string {
	return t.fillWith(text, func(v json.RawMessage) string {
		safe, _ := json.Marshal(v)
		return string(safe)
	})
}

// fillPlain puts values into a reply, as people read them.
func (t *turn) fillPlain(text string) string { return t.fillWith(text, value.Plain) }

func (t *turn) fillWith(text string, show func(json.RawMessage) string) string {
	if !strings.Contains(text, "{{") {
		return text
	}
	return templateForm().ReplaceAllStringFunc(text, func(s string) string {
		v, ok := t.value(templateForm().FindStringSubmatch(s)[1])
		if !ok {
			return "(not known)"
		}
		return show(v.Value)
	})
}

// maxComposed is how many replies an answer may draw on, beyond the texts of the rules
// that apply.
const maxComposed = 4

// composed lists the texts for an answer: those of the rules that apply, what is asked
// for next, and replies, those that share words with the message first. It is empty
// when nothing relates to the message.
func (t *turn) composed(top []Match, ask *Variable) (list []string) {
	list = t.verbatim(top)
	if ask != nil && ask.Ask != "" {
		list = append(list, ask.Ask)
	}
	type near struct {
		text   string
		shared int
	}
	var found []near
	fits := len(list) > 0
	for _, r := range t.book.doc.Replies {
		n := saying.Shared(saying.Words(r.ID+" "+r.Text), t.words())
		if text := t.fillPlain(r.Text); !slices.Contains(list, text) {
			found = append(found, near{text, n})
			fits = fits || n > 0
		}
	}
	if !fits {
		return nil
	}
	slices.SortStableFunc(found, func(a, b near) int { return cmp.Compare(b.shared, a.shared) })
	for _, f := range found[:min(len(found), maxComposed)] {
		list = append(list, f.text)
	}
	return list
}
