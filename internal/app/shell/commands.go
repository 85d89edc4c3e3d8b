// Package shell tells people, shells and man(1) what can be typed after bot, and what is
// wrong with what was. All of it is
// read from the model of the command line that also parses it, so nothing is
// listed twice. It runs no command.
package shell

import (
	"strings"

	"github.com/alecthomas/kong"
)

// Usage returns how a command is typed, with its own flags: those of the whole
// program are left out.
func Usage(leaf *kong.Node) string {
	var b strings.Builder
	b.WriteString("bot " + leaf.Path())
	for _, p := range leaf.Positional {
		b.WriteString(" " + p.Summary())
	}
	for _, f := range own(leaf) {
		b.WriteString(" [" + flagUsage(f) + "]")
	}
	return b.String()
}

func flagUsage(f *kong.Flag) string {
	if f.IsBool() {
		return "--" + f.Name
	}
	return "--" + f.Name + " " + strings.ToUpper(f.FormatPlaceHolder())
}

// own returns the flags of a node that are shown and that not every command has.
func own(n *kong.Node) (flags []*kong.Flag) {
	for _, f := range n.Flags {
		if !f.Hidden && f.Name != "help" {
			flags = append(flags, f)
		}
	}
	return flags
}

// shown returns the commands below a node that are meant for people.
func shown(n *kong.Node) (nodes []*kong.Node) {
	for _, c := range n.Children {
		if !c.Hidden {
			nodes = append(nodes, c)
		}
	}
	return nodes
}
