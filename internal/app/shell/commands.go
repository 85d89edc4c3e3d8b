// Package shell helps people, shells and man(1) with the command line, and explains
// mistakes in it. It reads everything from the model that also parses the command line, so
// nothing is listed twice. It runs no command.
package shell

import (
	"strings"

	"github.com/alecthomas/kong"
)

// Usage returns how to type a command, without the flags of the whole program.
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

// own returns the visible flags of a node that not every command has.
func own(n *kong.Node) (flags []*kong.Flag) {
	for _, f := range n.Flags {
		if !f.Hidden && f.Name != "help" {
			flags = append(flags, f)
		}
	}
	return flags
}

// shown returns the visible commands below a node.
func shown(n *kong.Node) (nodes []*kong.Node) {
	for _, c := range n.Children {
		if !c.Hidden {
			nodes = append(nodes, c)
		}
	}
	return nodes
}
