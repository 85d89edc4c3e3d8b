package shell

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"parley/internal/text/catalog"
)

// About says what the program is.
const About = "Parley: an assistant that lives in your chats and remembers."

// Help prints the help of a command in a language. The manual page stays English.
func Help(p catalog.Printer) kong.HelpPrinter {
	return func(o kong.HelpOptions, ctx *kong.Context) error {
		if p.Tag() == catalog.English {
			return kong.DefaultHelpPrinter(o, ctx)
		}
		_ = kong.Visit(ctx.Model.Node, func(n kong.Visitable, next kong.Next) error {
			switch n := n.(type) {
			case *kong.Node:
				n.Help, n.Detail = p.Text(n.Help), p.Text(n.Detail)
			case *kong.Flag:
				n.Help = p.Text(n.Help)
			case *kong.Value:
				n.Help = p.Text(n.Help)
			}
			return next(nil)
		})
		var printed strings.Builder
		out := ctx.Stdout
		ctx.Stdout = &printed
		err := kong.DefaultHelpPrinter(o, ctx)
		ctx.Stdout = out
		if err != nil {
			return err
		}
		for line := range strings.Lines(printed.String()) {
			if _, err := fmt.Fprintln(out, heading(p, strings.TrimSuffix(line, "\n"))); err != nil {
				return err
			}
		}
		return nil
	}
}

// heading returns a line in a language where it is one of the parser's own.
func heading(p catalog.Printer, line string) string {
	switch line {
	case "Arguments:", "Flags:", "Commands:":
		return p.Text(line)
	}
	if usage, ok := strings.CutPrefix(line, "Usage: "); ok {
		return p.Say("Usage: %s", usage)
	}
	if rest, ok := strings.CutPrefix(line, `Run "`); ok {
		command, _, _ := strings.Cut(rest, `"`)
		return p.Say("Run \"%s\" for more information on a command.", command)
	}
	return line
}
