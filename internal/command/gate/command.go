package gate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/internal/chat"
	"parley/internal/text"
)

// Command is one slash command, or one verb of it. It is plain data: the
// platforms register it, /help prints it, Commands runs it.
type Command struct {
	// Name is lower case; "-" and "_" are the same when typed (platforms
	// differ in what they can register).
	Name string
	Help string // one line, no period
	// Who may run it; the zero Role means Member, and for a verb whatever
	// its command says. Anyone lets strangers in as well.
	Who Role
	// WhoIn is who may run it where a message is written; nil is Who everywhere.
	WhoIn func(m chat.Message) Role
	// When reports whether there is such a command now; nil is always. Verbs have none of
	// their own.
	When func() bool
	// Private answers are for the author's eyes only. A verb of a private
	// command is private.
	Private bool
	// Quiet answers are no secret, but noise to others: they are shown to the
	// author alone where that costs nothing, and openly elsewhere.
	Quiet bool
	// First is the position among the commands that a bare /help names, from 1; 0 is none.
	First int
	// Effect is what running it changes; this also decides when it runs.
	Effect Effect
	// Confirm, when set, returns a question to be answered with yes before
	// Run runs; "" asks nothing. The question is not private: in company, that
	// of a private command says no more than what was typed.
	Confirm func(ctx context.Context, r Request) (question string, err error)
	// Again says that a run that a crash cut short after a yes is repeated: running twice has
	// the same effect.
	Again bool
	// Alone says that it is short and about rows of its own: it need not wait for an answer
	// whose model fails, although that was asked for before.
	Alone   bool
	Options []Option
	Verbs   []Command // no deeper than this
	// Run is what it does. nil on a command with verbs lists them. An error of
	// Run or Confirm that is a text.Error is the answer; any other is logged, and
	// people are told its id.
	Run func(ctx context.Context, r Request) (chat.Answer, error)
}

// Effect is what a command changes.
type Effect int

const (
	Changes   Effect = iota // something: it runs in its turn, and at once
	Works                   // something, and takes as long as an answer of the model's
	Reads                   // nothing: it is answered at once, beside whatever takes long
	ReadsBare               // nothing where no argument is given; otherwise it Changes
)

// Option is one argument, in the order it is typed. It may also be given as
// name:value.
type Option struct {
	Name, Help string
	Kind       OptionKind
	Required   bool
	Row        bool // with Number: the number of a row, "#7" too; a button gives its key instead, as "=12"
	Named      bool // typed only as name:value, so that free text before it takes the rest of the line
	// Hidden is accepted and shown nowhere: it is for a platform.
	Hidden  bool
	Choices []string // with Text: the only values there are
	// Long is a text of several lines. If it is left out, it is the text of the
	// message that the command replies to; where a platform has forms, it is asked
	// for in one.
	Long bool
	// Suggest completes what was typed so far, for m's author in m's place;
	// nil does not. It may block briefly.
	Suggest func(ctx context.Context, m chat.Message, prefix string) []string
	// Offer returns the values to choose from, each with a label, if they mean little by
	// themselves; nil does not. It may block briefly.
	Offer func(ctx context.Context, m chat.Message) []chat.Choice
}

// OptionKind is what an Option holds.
type OptionKind string

// The kinds of Option. A Text that only options with Choices follow takes the
// rest of the line; options that are no free text, or Named, may then stand behind it as
// name:value. Any other value with spaces is quoted.
const (
	Text   OptionKind = ""
	Number OptionKind = "number" // a whole number
	Switch OptionKind = "switch" // on or off
)

// Request is one use of a command.
type Request struct {
	Message chat.Message
	Reply   chat.Reply // for answers that grow; nil after a confirmation
	Role    Role       // of the author, here
	Command string     // canonical names
	Verb    string
	Args    map[string]string // by option name; absent when not given
	Quoted  bool              // a Long option is the text of the message replied to
}

// Number returns the value of a Number option, or otherwise when it was not given.
func (r Request) Number(name string, otherwise int) int {
	n, err := strconv.Atoi(r.Args[name])
	if err != nil {
		return otherwise
	}
	return n
}

var nameForm = text.Pattern(`^[a-z0-9][a-z0-9_-]{0,31}$`)

// check rejects a table entry that could not be registered or typed.
func (c Command) check(path string) error {
	if !nameForm().MatchString(c.Name) || c.Help == "" {
		return fmt.Errorf("command %s: needs a name of a-z, 0-9, - and _ and a help text", path)
	}
	if c.Run == nil && len(c.Verbs) == 0 {
		return fmt.Errorf("command %s: does nothing", path)
	}
	seen := map[string]bool{}
	for _, o := range c.Options {
		if !nameForm().MatchString(o.Name) || o.Help == "" || seen[fold(o.Name)] {
			return fmt.Errorf("command %s: option %q: needs a name of its own and a help text", path, o.Name)
		}
		seen[fold(o.Name)] = true
	}
	for _, v := range c.Verbs {
		if len(v.Verbs) > 0 || seen[fold(v.Name)] {
			return fmt.Errorf("command %s %s: verbs have names of their own and no verbs", path, v.Name)
		}
		seen[fold(v.Name)] = true
		if err := v.check(path + " " + v.Name); err != nil {
			return err
		}
	}
	return nil
}

// verb returns the verb of this name with what it inherits.
func (c Command) verb(name string) (Command, bool) {
	for _, v := range c.Verbs {
		if fold(v.Name) == name {
			return c.inherit(v), true
		}
	}
	return Command{}, false
}

func (c Command) inherit(v Command) Command {
	if v.Who == 0 {
		v.Who = c.Who
	}
	v.Private = v.Private || c.Private
	return v
}

// at returns the command as it applies where m was written.
func (c Command) at(m chat.Message) Command {
	if c.WhoIn != nil {
		c.Who = c.WhoIn(m)
	}
	return c
}

func (c Command) there() bool { return c.When == nil || c.When() }

func (c Command) admits(role Role) bool {
	return role >= cmp.Or(c.Who, Member)
}

// Least returns the lowest role that may use the command or one of its verbs.
func (c Command) Least() Role {
	least := cmp.Or(c.Who, Member)
	for _, v := range c.Verbs {
		least = min(least, cmp.Or(v.Who, least))
	}
	return least
}

func (c Command) usage(path string) string {
	var b strings.Builder
	b.WriteString("/" + path)
	free := false // text stands before that takes the line
	for _, o := range c.Options {
		name := o.Name
		switch {
		case o.Hidden:
			continue
		case len(o.Choices) > 0 && (free || o.Named):
			name += ":" + strings.Join(o.Choices, "|")
		case len(o.Choices) > 0:
			name = strings.Join(o.Choices, "|")
		case o.Kind == Switch:
			name = "on|off"
		}
		if o.Named && len(o.Choices) == 0 {
			name += ":…"
		}
		if !o.Required {
			name = "[" + name + "]"
		} else if len(o.Choices) == 0 && o.Kind != Switch {
			name = strings.ToUpper(name)
		}
		free = free || takesRest(c.Options, o)
		b.WriteString(" " + name)
	}
	return b.String()
}

// accept checks a typed value and returns its canonical form.
func (o Option) accept(value string) (string, error) {
	switch folded := fold(value); {
	case len(o.Choices) > 0:
		i := slices.IndexFunc(o.Choices, func(c string) bool { return fold(c) == folded })
		if i < 0 {
			return "", text.Tell("For %s I know %s.", o.Name, strings.Join(o.Choices, ", "))
		}
		return o.Choices[i], nil
	case o.Row && strings.HasPrefix(folded, "="):
		if _, err := strconv.ParseInt(folded[1:], 10, 64); err != nil {
			return "", text.Tell("For %s I need a whole number.", o.Name)
		}
		return folded, nil
	case o.Kind == Number:
		if o.Row {
			value = strings.TrimPrefix(strings.TrimSpace(clean(value)), "#")
		}
		n, err := strconv.Atoi(strings.TrimSpace(clean(value)))
		if err != nil {
			return "", text.Tell("For %s I need a whole number.", o.Name)
		}
		return strconv.Itoa(n), nil
	case o.Kind == Switch:
		switch folded {
		case "on", "true", "yes", "1":
			return "on", nil
		case "off", "false", "no", "0":
			return "off", nil
		}
		return "", text.Tell("For %s I need on or off.", o.Name)
	}
	return value, nil
}
