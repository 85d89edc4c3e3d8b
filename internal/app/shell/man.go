package shell

import (
	_ "embed"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// closing is the part of the page that the command line does not say.
//
//go:embed closing.roff
var closing string

// Man prints the manual page.
type Man struct{}

// Run prints bot(1) as roff.
func (Man) Run(p *kong.Kong) error {
	_, err := io.WriteString(p.Stdout, page(p.Model))
	return err
}

// page returns the manual page.
func page(app *kong.Application) string {
	var b strings.Builder
	name, about, _ := strings.Cut(app.Help, ": ") // "Parley: an assistant …"
	b.WriteString(".TH BOT 1 \"\" \"" + roff(name) + "\" \"User Commands\"\n")
	b.WriteString(".SH NAME\nbot \\- " + roff(strings.TrimSuffix(about, ".")) + "\n")
	b.WriteString(".SH SYNOPSIS\n.B bot\n[\\fIcommand\\fR] [\\fIflags\\fR]\n")
	b.WriteString(".SH COMMANDS\nWithout a command the bot runs on every platform that has a token; with none, it is a chat in the terminal.\n")
	for _, leaf := range app.Leaves(true) {
		item(&b, Usage(leaf), leaf.Help)
		for _, p := range leaf.Positional {
			nested(&b, p.Summary(), p.Help)
		}
		for _, f := range own(leaf) {
			nested(&b, flagUsage(f), f.Help)
		}
	}
	b.WriteString(".SH OPTIONS\nThese go with every command.\n")
	for _, f := range app.Flags {
		if !f.Hidden {
			item(&b, flagUsage(f), f.Help)
		}
	}
	return b.String() + closing
}

// item writes a paragraph with a bold heading.
func item(b *strings.Builder, what, help string) {
	b.WriteString(".TP\n\\fB" + roff(what) + "\\fR\n" + roff(help) + "\n")
}

// nested writes an indented item.
func nested(b *strings.Builder, what, help string) {
	if help != "" {
		b.WriteString(".RS\n")
		item(b, what, help)
		b.WriteString(".RE\n")
	}
}

var escapes = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `"`, `\(dq`, "\n", " ")

// roff escapes a text for roff.
func roff(text string) string {
	text = escapes.Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
