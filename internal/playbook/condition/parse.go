package condition

import (
	"fmt"
	"slices"
	"strings"

	"parley/internal/playbook/sheet"
	"parley/internal/playbook/value"
	"parley/internal/text"
)

var (
	looksPrefixed = text.Pattern(`^([A-Za-z]{2,10}):`)
	joint         = text.Pattern(`\s(AND|OR)\s+`)
	begins        = text.Pattern(`^(?:NOT\s+)?(?:(?:literal|regex|var|event|tool|plain):|always\b)`)
	listed        = text.Pattern(`^(.*?)\s*[,;|]\s*((?:literal|regex|var|event|tool|plain):.*)$`)
	toolForm      = text.Pattern(`^([A-Za-z0-9_.*-]+)(?:\s+(ok|failed|(?:args|result)\b.*))?$`)
)

// Kinds are the prefixes that conditions may have.
var Kinds = []string{string(Literal), string(Regex), string(Var), string(Event), string(Tool), string(Plain)}

// Parse reads a condition: always, KIND:ARGUMENT or words to judge; NOT before a
// kind; and several of them joined by AND and OR, AND first. A capital AND or OR
// joins only if what follows begins with a kind or always, so that texts and patterns
// may have the words in them. events are the names there are.
func Parse(s string, events []string) (Condition, error) {
	return joined(strings.TrimSpace(s), Or, events)
}

// joined splits at one of the operators, OR before AND.
func joined(s string, op Kind, events []string) (Condition, error) {
	parts := split(s, strings.ToUpper(string(op)))
	if len(parts) == 1 {
		if op == Or {
			return joined(s, And, events)
		}
		return single(s, events)
	}
	c := Condition{Kind: op, Text: s}
	for _, part := range parts {
		p, err := joined(part, And, events)
		if err != nil {
			return c, err
		}
		c.Parts = append(c.Parts, p)
	}
	return c, nil
}

func split(s, op string) (parts []string) {
	from := 0
	for _, at := range joint().FindAllStringSubmatchIndex(s, -1) {
		if s[at[2]:at[3]] == op && begins().MatchString(s[at[1]:]) {
			parts = append(parts, strings.TrimSpace(s[from:at[0]]))
			from = at[1]
		}
	}
	return append(parts, strings.TrimSpace(s[from:]))
}

// single reads one condition without AND or OR.
func single(s string, events []string) (Condition, error) {
	if rest, ok := strings.CutPrefix(s, "NOT "); ok && begins().MatchString(strings.TrimSpace(rest)) {
		c, err := single(strings.TrimSpace(rest), events)
		c.Not = !c.Not
		return c, err
	}
	if strings.EqualFold(s, string(Always)) {
		return Condition{Kind: Always, Text: s}, nil
	}
	prefix := looksPrefixed().FindStringSubmatch(s)
	if prefix == nil {
		return Condition{Kind: Plain, Text: s}, nil
	}
	c := Condition{Kind: Kind(prefix[1]), Text: s}
	arg := strings.TrimSpace(s[len(prefix[0]):])
	if !slices.Contains(Kinds, prefix[1]) {
		if near := text.Nearest(prefix[1], Kinds); near != "" {
			return c, fmt.Errorf("unknown kind of condition %q; did you mean %q?", prefix[1]+":", near+":")
		}
		return Condition{Kind: Plain, Text: s}, nil
	}
	if arg == "" {
		return c, fmt.Errorf("nothing follows %q", prefix[0])
	}
	return c.argument(arg, events)
}

// argument reads what follows the kind.
func (c Condition) argument(arg string, events []string) (_ Condition, err error) {
	switch c.Kind {
	case Literal:
		c.Lit = strings.ToLower(arg)
		if m := listed().FindStringSubmatch(arg); m != nil {
			err = fmt.Errorf("%q is read as one text: conditions are joined by AND and OR, as in %q", arg, m[1]+" OR "+m[2])
		}
	case Plain:
		c.Text = arg
	case Regex:
		if c.Re, err = value.Compile(arg); err == nil {
			c.filter = value.NewFilter(c.Re)
		}
	case Var:
		c.Test, err = value.ParseTest(arg)
	case Event:
		if c.Lit = arg; !slices.Contains(events, arg) {
			err = fmt.Errorf("unknown event %q%s", arg, sheet.Suggest(arg, events))
		}
	case Tool:
		err = c.tool(arg)
	}
	return c, err
}

// tool reads NAME, NAME ok, NAME failed, NAME args.PATH OP VALUE or NAME result.PATH
// OP VALUE. A bare name means that it worked.
func (c *Condition) tool(arg string) (err error) {
	m := toolForm().FindStringSubmatch(arg)
	if m == nil {
		return fmt.Errorf("%q is not a test of a tool: wants NAME, NAME ok, NAME failed, or NAME with args.FIELD or "+
			"result.FIELD, =, !=, <, <=, >, >=, ~ or in and a value", arg)
	}
	c.Lit = m[1]
	switch m[2] {
	case "", "ok":
		c.Test = value.Test{Name: "ok", Op: "set"}
	case "failed":
		c.Test = value.Test{Name: "failed", Op: "set"}
	default:
		c.Test, err = value.ParseTest(m[2])
	}
	return err
}
