package playbook

import (
	"encoding/json"
	"regexp"
	"time"

	"parley/internal/playbook/condition"
	"parley/internal/playbook/guard"
	"parley/internal/playbook/saying"
	"parley/internal/playbook/sheet"
	"parley/internal/playbook/value"
)

// Schema returns the JSON Schema of a playbook file, for editors.
func Schema() []byte { return sheet.Schema("Parley playbook", document{}) }

// document is what the YAML files hold together: each list may be in any file. The
// tags are the only source of the load checks and of Schema.
type document struct {
	Settings   *Settings    `json:"settings" doc:"How rules are chosen; in one file at most."`
	Glossary   []*Term      `json:"glossary" doc:"Words of this place and what they mean."`
	Variables  []*Variable  `json:"variables" doc:"What is worth knowing about a conversation or a person."`
	Replies    []*Reply     `json:"replies" doc:"Ready-made answers that guidelines can name."`
	Guidelines []*Guideline `json:"guidelines" doc:"When this, do that."`
	Journeys   []*Journey   `json:"journeys" doc:"Conversations of several steps."`
	Guards     []guard.Rule `json:"guards" doc:"Conditions on tool calls that code enforces."`
}

// Settings tune matching.
type Settings struct {
	Threshold *float64 `json:"threshold,omitempty" rule:"range=0..1" doc:"Relevance from which a rule counts as matched; 0.3 when absent."`
	Top       *int     `json:"top,omitempty" rule:"range=1..50" doc:"How many rules may apply at once; 3 when absent."`
	Mode      string   `json:"mode,omitempty" rule:"enum=fluid|composited|strict" doc:"fluid, as when absent: the model words answers itself, and ready-made replies are said where rules say so. composited: it puts answers together from ready-made replies and adds no fact. strict: only ready-made replies are said."`
	Strict    bool     `json:"strict,omitempty" doc:"The same as mode: strict."`
	// EnableJourneys and AutoExtractContext are true when absent.
	EnableJourneys     *bool  `json:"enable_journeys,omitempty" doc:"false: no journey begins or goes on; those under way are suspended until it is true again. true when absent."`
	AutoExtractContext *bool  `json:"auto_extract_context,omitempty" doc:"false: variables are read from a message only right after they were asked for, and set by tools and the owner. true when absent."`
	Fallback           string `json:"fallback,omitempty" rule:"len=1..2000" doc:"What is said in composited and strict mode when no reply fits."`
}

// Term is a glossary entry.
type Term struct {
	Term    string   `json:"term" rule:"required len=1..100" doc:"The word or phrase."`
	Also    []string `json:"also,omitempty" rule:"len=1..100" doc:"Other ways to say it."`
	Meaning string   `json:"meaning" rule:"required len=1..1000" doc:"What it means here."`
	At      sheet.Place
}

// Reply is a ready-made answer. {{name}} stands for a variable's value.
type Reply struct {
	ID   string `json:"id" rule:"required format=id" doc:"Unique name."`
	Text string `json:"text" rule:"required len=1..2000" doc:"Markdown; {{name}} stands for a variable."`
	At   sheet.Place
}

// Variable is a context variable.
type Variable struct {
	Name             string            `json:"name" rule:"required format=name" doc:"Unique name."`
	Description      string            `json:"description" rule:"required len=1..500" doc:"What it is, in words for the model and for people."`
	DataType         string            `json:"data_type" rule:"enum=string|number|boolean|date|array|object" doc:"Type of the value; string when absent."`
	ExtractionPrompt string            `json:"extraction_prompt,omitempty" rule:"len=1..1000" doc:"How the model finds it in a message; without one only patterns and tools set it."`
	Patterns         []string          `json:"patterns,omitempty" rule:"len=1..500" doc:"RE2 patterns tried on every message; the first group, else the whole match, is the value."`
	AnswerPatterns   []string          `json:"answer_patterns,omitempty" rule:"len=1..500" doc:"Like patterns, tried only right after the bot asked for this variable."`
	From             string            `json:"from,omitempty" rule:"len=1..200" doc:"TOOL or TOOL.FIELD: filled from what that tool gives back, wherever it is called."`
	Ask              string            `json:"ask,omitempty" rule:"len=1..500" doc:"A question to ask for it with; strict mode uses it word for word."`
	Required         bool              `json:"required,omitempty" doc:"Ask for it when it is not known."`
	PerPerson        bool              `json:"per_person,omitempty" doc:"Kept for the person beyond the session."`
	Lasts            string            `json:"lasts,omitempty" rule:"len=2..10" doc:"How long a value is known after it was said, such as 30m, 12h or 90d; then it is asked for anew. Absent: without end."`
	Scope            string            `json:"scope,omitempty" rule:"enum=person|channel" doc:"Whose value it is: each person's own, or one for the whole channel. Absent: the person's, or the channel's if only journeys of the channel ask for it."`
	Validation       *value.Validation `json:"validation,omitempty" doc:"What a value must be like."`
	DefaultValue     any               `json:"default_value,omitempty" doc:"Used while nothing better is known."`
	Metadata         map[string]string `json:"metadata,omitempty" doc:"Your own notes."`

	At       sheet.Place
	patterns []*regexp.Regexp
	valid    value.Checker
	fallback json.RawMessage // DefaultValue in its type
	shared   bool            // the channel's
	words    []string        // of name, description and prompt, for the gate
	version  string
	lasts    time.Duration // 0 is without end
}

// Guideline is a rule.
type Guideline struct {
	ID              string            `json:"id" rule:"required format=id" doc:"Unique name."`
	Priority        int               `json:"priority,omitempty" rule:"range=-1000..1000" doc:"Higher comes first and wins; 0 when absent."`
	Condition       string            `json:"condition" rule:"required len=1..1000" doc:"literal:TEXT, regex:RE2, var:NAME OP VALUE, event:NAME, always, or plain words for the model to judge."`
	Action          string            `json:"action,omitempty" rule:"len=1..2000" doc:"What to do; reply:TEXT answers with that text and no model call."`
	Reply           string            `json:"reply,omitempty" rule:"len=1..2000" doc:"Answer with this text and no model call."`
	Canned          string            `json:"canned,omitempty" rule:"format=id" doc:"Answer with the reply of this id."`
	Handoff         bool              `json:"handoff,omitempty" doc:"true passes the conversation on to people when it applies, after its reply."`
	Unasked         bool              `json:"unasked,omitempty" doc:"true: where the bot reads along, it may speak by this rule although nobody asked, at most channel.unasked_per_day times a day. A condition in plain words is judged, with a model call, if a message shares a word with it; literal: and regex: cost none."`
	Outcome         string            `json:"outcome,omitempty" rule:"enum=asked|out_of_scope|unsafe" doc:"What an answer by this guideline is, for the record: a question, or a refusal. Absent: an answer."`
	Tools           []string          `json:"tools,omitempty" rule:"format=tool" doc:"Tools to offer when it applies."`
	After           []string          `json:"after,omitempty" rule:"format=tool" doc:"Judged again after these tools gave something back, with what they gave."`
	Standing        bool              `json:"standing,omitempty" doc:"Applies whatever else does: not counted among the top. Rules that always hold, and actions that begin with never or do not, stand anyway."`
	RequiredContext []string          `json:"required_context,omitempty" rule:"format=name" doc:"Variables that must be known."`
	JourneyID       string            `json:"journey_id,omitempty" rule:"format=id" doc:"Applies only within this journey."`
	JourneyStep     string            `json:"journey_step,omitempty" rule:"format=id" doc:"Applies only at this step."`
	Platforms       []string          `json:"platforms,omitempty" rule:"format=id" doc:"Applies only on these platforms."`
	Channels        []string          `json:"channels,omitempty" rule:"len=1..200" doc:"Applies only in these channels."`
	Roles           []string          `json:"roles,omitempty" rule:"format=id" doc:"Applies only to people with one of these roles."`
	Tags            []string          `json:"tags,omitempty" rule:"format=id" doc:"Applies only to people with one of these tags, which the owner gives with /person."`
	DependsOn       *Dependencies     `json:"depends_on,omitempty" doc:"Applies only together with these guidelines."`
	Excludes        []string          `json:"excludes,omitempty" rule:"format=id" doc:"Guidelines that cannot apply beside it; the higher priority wins, and this one when they are equal."`
	Entails         []string          `json:"entails,omitempty" rule:"format=id" doc:"Guidelines that apply too when this one does."`
	Enforce         bool              `json:"enforce,omitempty" doc:"The answer is checked before it is sent: if it breaks the rule it is written anew once, and else the rule's own words are sent."`
	MustSay         []string          `json:"must_say,omitempty" rule:"len=1..500" doc:"With enforce: words that the answer must have, each of them; regex:RE2 is a pattern."`
	MustNotSay      []string          `json:"must_not_say,omitempty" rule:"len=1..500" doc:"With enforce: words that the answer must not have; regex:RE2 is a pattern."`
	Say             string            `json:"say,omitempty" rule:"len=1..2000" doc:"With enforce: the rule's own words, sent in place of an answer that breaks it. Absent: its reply, what it must say, or its action."`
	Continuous      *bool             `json:"continuous,omitempty" doc:"true: as long as the condition holds; false: once a session. Absent: whenever a message brings it up anew."`
	Enabled         *bool             `json:"enabled,omitempty" doc:"false switches it off; true when absent."`
	Metadata        map[string]string `json:"metadata,omitempty" doc:"Your own notes."`
	CreatedAt       time.Time         `json:"created_at,omitzero" doc:"RFC 3339; the newer of two equal rules comes first."`

	At      sheet.Place
	order   int
	when    condition.Condition
	reply   string   // filled text of reply, canned or action reply:
	needs   []string // RequiredContext and what the reply's template names
	homes   []home   // journey steps it is bound to; none: everywhere
	version string
}

// stands reports whether a rule applies whatever its rank: it always holds, or forbids
// something.
func (g *Guideline) stands() bool {
	_, forbids := saying.Forbidden(g.Action)
	return g.Standing || g.Enforce || g.when.Kind == condition.Always || forbids
}

// home is a place in a journey; an empty step is anywhere in it.
type home struct{ journey, step string }

// Dependencies name guidelines that must apply too.
type Dependencies struct {
	All []string `json:"all,omitempty" rule:"format=id" doc:"Every one of these."`
	Any []string `json:"any,omitempty" rule:"format=id" doc:"At least one of these."`
}

// Journey is a conversation of several steps.
type Journey struct {
	ID          string            `json:"id" rule:"required format=id" doc:"Unique name."`
	Name        string            `json:"name" rule:"required len=1..100" doc:"Name for people."`
	Description string            `json:"description" rule:"required len=1..1000" doc:"What it is for."`
	Trigger     string            `json:"trigger,omitempty" rule:"len=1..1000" doc:"Condition that starts it; without one a command or a tool does."`
	Scope       string            `json:"scope,omitempty" rule:"enum=person|channel" doc:"Whose journey it is: each person's own, or one that everybody in the channel is in together. Absent: person."`
	Repeat      bool              `json:"repeat,omitempty" doc:"The trigger may start it again in the same session."`
	InitialStep string            `json:"initial_step" rule:"required format=id" doc:"Where it starts."`
	Steps       []*Step           `json:"steps" rule:"required" doc:"Its steps."`
	Metadata    map[string]string `json:"metadata,omitempty" doc:"Your own notes."`
	CreatedAt   time.Time         `json:"created_at,omitzero" doc:"RFC 3339."`

	At      sheet.Place
	trigger condition.Condition
	steps   map[string]*Step
}

// shared reports whether everybody in a channel is in it together.
func (j *Journey) shared() bool { return j.Scope == "channel" }

// stepName names a step for people; its id where the definition has none of it.
func (j *Journey) stepName(id string) string {
	if s := j.steps[id]; s != nil {
		return s.Name
	}
	return id
}

// Step is one step of a journey.
type Step struct {
	ID              string            `json:"id" rule:"required format=id" doc:"Unique within the journey."`
	Name            string            `json:"name" rule:"required len=1..100" doc:"Name for people."`
	Description     string            `json:"description,omitempty" rule:"len=1..1000" doc:"What the bot does here."`
	Guidelines      []string          `json:"guidelines,omitempty" rule:"format=id" doc:"Guidelines that belong to this step."`
	RequiredContext []string          `json:"required_context,omitempty" rule:"format=name" doc:"Variables needed to complete the step, asked for one at a time."`
	Tool            string            `json:"tool,omitempty" rule:"format=tool" doc:"A tool that is run here, once all it needs is known; transitions may ask what came of it."`
	Args            map[string]string `json:"args,omitempty" doc:"Its arguments; {{name}} stands for a variable. Absent: the variables that are named like its arguments."`
	Transitions     []*Transition     `json:"transitions,omitempty" doc:"Where it may go on."`
	Handoff         bool              `json:"handoff,omitempty" doc:"true passes the conversation on to people once the step's required context is known."`
	IsTerminal      bool              `json:"is_terminal,omitempty" doc:"The journey is completed here."`

	At sheet.Place
}

// Transition leads to another step.
type Transition struct {
	ToStep    string `json:"to_step" rule:"required format=id" doc:"Target step."`
	Condition string `json:"condition,omitempty" rule:"len=1..1000" doc:"As in a guideline; always when absent."`
	Priority  int    `json:"priority,omitempty" rule:"range=-100..100" doc:"Higher is tried first."`
	Early     bool   `json:"early,omitempty" doc:"May be taken before the step's required context is known."`

	At   sheet.Place
	when condition.Condition
}
