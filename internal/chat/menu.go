package chat

import (
	"cmp"
	"errors"
)

// Menu holds the commands that a platform shows behind the slash.
type Menu struct {
	Commands []MenuCommand
	Owners   []string // User.IDs, of all platforms
	Actions  []MenuAction
	// About says what the bot is, on one line; Greeting what people read before they
	// write to it for the first time. A platform shows them where it has a place, and
	// nobody wrote something else there.
	About, Greeting string
	// Known says that the platform was found to show all of it not long ago: the adapter takes
	// over what it needs itself, and asks nothing.
	Known bool
}

// ErrUnseen says that a menu is shown, but not to some whom it is for, since a platform knows
// no chat with them yet.
var ErrUnseen = errors.New("some people have no chat yet to show a menu in")

// MenuAction is a command that can be run on a message, where a platform shows such
// a menu: as if its user had replied to that message with the command.
type MenuAction struct {
	Name    string // what people read; at most 32 characters
	Command string // its name and verb, without the slash
	// Ask is a question that is asked first, for the command's first free text; ""
	// asks nothing.
	Ask string
}

// MenuCommand is a command, or one verb of it, as a menu shows it.
type MenuCommand struct {
	Name string // a-z, 0-9, "-" and "_"; the last two are read alike
	Help string // one line
	Who  Audience
	// Least is the widest of Who and that of the verbs.
	Least   Audience
	Options []MenuOption
	Verbs   []MenuCommand // no deeper than this
}

// MenuOption is one argument of a command.
type MenuOption struct {
	Name, Help string
	Kind       OptionKind
	Required   bool
	Choices    []string // the only values there are; nil for any
	Suggests   bool     // completed while it is typed
	Long       bool     // several lines: asked for in a form where there are forms
}

// OptionKind is what an option holds.
type OptionKind string

const (
	OptionText   OptionKind = ""
	OptionNumber OptionKind = "number" // a whole number
	OptionSwitch OptionKind = "switch" // on or off
)

// Audience is who may run a command. Each is part of the ones before it.
type Audience int

// The audiences, the widest first.
const (
	Everybody Audience = iota // strangers as well
	Members                   // who was let in
	Admins                    // of them, who administers the place
	Owners                    // who runs this bot
)

// Choice is a value that somebody may pick, as they read it.
type Choice struct {
	Value   string
	Label   string // "" is the value
	Pressed string // the value that a button has; "" is Value
}

// Shown returns what people read.
func (c Choice) Shown() string { return cmp.Or(c.Label, c.Value) }
