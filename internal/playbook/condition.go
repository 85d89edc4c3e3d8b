package playbook

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"parley/internal/text"
)

// kind is how a condition is decided.
type kind string

const (
	kindAlways  kind = "always"
	kindLiteral kind = "literal" // the text contains it, whatever the case
	kindRegex   kind = "regex"
	kindVar     kind = "var"
	kindEvent   kind = "event"
	kindPlain   kind = "plain" // words for the model to judge
)

// Scores of the conditions that need no model.
const (
	scoreExact = 1.0
	scoreRegex = 0.9
)

// Events that a condition can wait for. The first five come with the Situation;
// the journey itself raises the others.
const (
	EventStart            = "start"             // a session begins
	EventFirstMessage     = "first_message"     // the person was never seen before
	EventIdleReturn       = "idle_return"       // the session had gone idle
	EventEdit             = "edit"              // the message was edited
	EventFile             = "file"              // the message carries a file
	EventJourneyStarted   = "journey_started"   // with this message
	EventJourneyCompleted = "journey_completed" // with this message
	EventStepEntered      = "step_entered"      // with this message
)

var eventNames = []string{EventStart, EventFirstMessage, EventIdleReturn, EventEdit, EventFile,
	EventJourneyStarted, EventJourneyCompleted, EventStepEntered}

// condition is compiled once. The zero condition never holds.
type condition struct {
	kind   kind
	text   string // as written
	lit    string // kindLiteral, lower case; kindEvent, its name
	re     *regexp.Regexp
	filter filter // of re
	vt     varTest
}

// varTest compares a variable. Op "set" and "unset" take no value.
type varTest struct{ name, op, value string }

var (
	looksPrefixed = regexp.MustCompile(`^([A-Za-z]{2,10}):`)
	varForm       = regexp.MustCompile(`^([A-Za-z0-9_]+)\s*(?:(is set|is not set|set|unset)|(==|=|!=|<=|>=|<|>|~|in\b)\s*(.+))?$`)
)

func parseCondition(s string) (condition, error) {
	s = strings.TrimSpace(s)
	if strings.EqualFold(s, string(kindAlways)) {
		return condition{kind: kindAlways, text: s}, nil
	}
	prefix := looksPrefixed.FindStringSubmatch(s)
	if prefix == nil {
		return condition{kind: kindPlain, text: s}, nil
	}
	c := condition{kind: kind(prefix[1]), text: s}
	arg := strings.TrimSpace(s[len(prefix[0]):])
	known := []string{string(kindLiteral), string(kindRegex), string(kindVar), string(kindEvent)}
	if !oneOf(prefix[1], known) {
		if near := text.Nearest(prefix[1], known); near != "" {
			return c, fmt.Errorf("unknown kind of condition %q; did you mean %q?", prefix[1]+":", near+":")
		}
		return condition{kind: kindPlain, text: s}, nil
	}
	if arg == "" {
		return c, fmt.Errorf("nothing follows %q", prefix[0])
	}
	var err error
	switch c.kind {
	case kindLiteral:
		c.lit = strings.ToLower(arg)
	case kindRegex:
		if c.re, err = compilePattern(arg); err == nil {
			c.filter = newFilter(c.re)
		}
	case kindVar:
		c.vt, err = parseVarTest(arg)
	case kindEvent:
		if c.lit = arg; !oneOf(arg, eventNames) {
			err = fmt.Errorf("unknown event %q%s", arg, suggest(arg, eventNames))
		}
	}
	return c, err
}

func parseVarTest(arg string) (varTest, error) {
	m := varForm.FindStringSubmatch(arg)
	if m == nil {
		return varTest{}, fmt.Errorf("%q is not a test of a variable: wants NAME, NAME is set, NAME is not set, or NAME with =, !=, <, <=, >, >=, ~ or in and a value", arg)
	}
	t := varTest{name: m[1], op: m[3], value: strings.Trim(strings.TrimSpace(m[4]), `"'`)}
	switch {
	case m[2] == "is not set" || m[2] == "unset":
		t.op = "unset"
	case t.op == "":
		t.op = "set"
	case t.op == "==":
		t.op = "="
	}
	return t, nil
}

// Caps on patterns: RE2 is linear in the text, these keep its factor small.
const (
	maxPattern = 500  // characters
	maxProgram = 5000 // instructions
)

func compilePattern(p string) (*regexp.Regexp, error) {
	if len(p) > maxPattern {
		return nil, fmt.Errorf("pattern longer than %d characters", maxPattern)
	}
	parsed, err := syntax.Parse(p, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	if len(prog.Inst) > maxProgram {
		return nil, fmt.Errorf("pattern too large: it unfolds to %d instructions, at most %d are taken", len(prog.Inst), maxProgram)
	}
	return regexp.Compile(p)
}

// ofMessage reports whether the newest message decides the condition, rather
// than something that stays true.
func (c condition) ofMessage() bool {
	return c.kind == kindLiteral || c.kind == kindRegex || c.kind == kindEvent
}

// holds decides a condition without a model. For plain ones it looks up the verdict
// by their words.
func (t *turn) holds(c condition) (score float64, reason string) {
	if t.sit.Forwarded && (c.kind == kindLiteral || c.kind == kindRegex) {
		return 0, ""
	}
	switch c.kind {
	case kindAlways:
		return scoreExact, "always applies"
	case kindLiteral:
		if strings.Contains(t.lower, c.lit) {
			return scoreExact, fmt.Sprintf("the message contains %q", c.lit)
		}
	case kindRegex:
		if !c.filter.admits(t.lower) {
			return 0, ""
		}
		if at := c.re.FindStringIndex(t.sit.Text); at != nil {
			return scoreRegex, fmt.Sprintf("the message has %q, which fits the pattern", text.Shorten(t.sit.Text[at[0]:at[1]], 60))
		}
	case kindVar:
		if t.varHolds(c.vt) {
			return scoreExact, "known: " + c.vt.String()
		}
	case kindEvent:
		if t.events[c.lit] {
			return scoreExact, "event " + c.lit
		}
	case kindPlain:
		v := t.verdicts[c.text]
		return v.Relevance, v.Reason
	}
	return 0, ""
}

// String puts the test in words.
func (v varTest) String() string {
	switch v.op {
	case "set":
		return v.name + " is set"
	case "unset":
		return v.name + " is not set"
	}
	return v.name + " " + v.op + " " + v.value
}
