package shell

import (
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"parley/internal/text/catalog"
)

// The scripts ask the program at each Tab, so that one of them fits all versions.
//
//go:embed scripts
var scripts embed.FS

// Completion prints a shell's completion script.
type Completion struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

// Help explains how to install the script.
func (Completion) Help() string {
	return "For the session that you are in: \"eval \"$(bot completion bash)\"\", the same with zsh, or \"bot " +
		"completion fish | source\". Packages install all three."
}

// Run prints the script.
func (c Completion) Run(p *kong.Kong) error {
	b, err := scripts.ReadFile("scripts/bot." + c.Shell)
	if err != nil {
		return fmt.Errorf("completion: %w", err)
	}
	_, err = p.Stdout.Write(b)
	return err
}

// Complete lists what may come at the end of a command line, for the scripts. No output
// means the shell may offer files.
type Complete struct {
	Words []string `arg:"" optional:"" passthrough:""` // after "bot"; the last is unfinished
}

// Run prints a candidate per line: the word, a tab and its meaning.
func (c Complete) Run(p *kong.Kong, speak catalog.Printer) error {
	words := c.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	for _, x := range candidates(p.Model.Node, words) {
		if _, err := io.WriteString(p.Stdout, x.word+"\t"+speak.Text(x.about)+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// candidate is a word that may come next.
type candidate struct{ word, about string }

// line is a command line as read so far.
type line struct {
	node    *kong.Node
	given   []*kong.Flag // of node and its parents
	pending *kong.Flag   // waits for its value; may be nil
	args    int          // positional arguments read
}

// candidates returns what fits as the last of words.
func candidates(root *kong.Node, words []string) []candidate {
	last := ""
	if n := len(words); n > 0 {
		words, last = words[:n-1], words[n-1]
	}
	l := line{node: root, given: root.Flags}
	for _, w := range words {
		l.read(w)
	}
	if last == "=" { // bash passes it as a word
		last = ""
	}
	var all []candidate
	name, value, assigned := strings.Cut(last, "=")
	switch f := l.flag(name); {
	case l.pending != nil:
		all = enum(l.pending.Value, "")
	case assigned && f != nil && !f.IsBool():
		all, last = enum(f.Value, name+"="), name+"="+value
	case strings.HasPrefix(last, "-"):
		for _, f := range l.given {
			if !f.Hidden {
				all = append(all, candidate{"--" + f.Name, f.Help})
			}
		}
	default:
		all = l.next()
	}
	return slices.DeleteFunc(all, func(c candidate) bool { return !strings.HasPrefix(c.word, last) })
}

// read takes one more word.
func (l *line) read(w string) {
	name, _, assigned := strings.Cut(w, "=")
	switch f := l.flag(name); {
	case w == "=":
	case l.pending != nil:
		l.pending = nil
	case f != nil:
		if !assigned && !f.IsBool() {
			l.pending = f
		}
	default:
		for _, c := range l.node.Children {
			if l.args == 0 && c.Type == kong.CommandNode && c.Name == w {
				l.node, l.given = c, append(slices.Clone(c.Flags), l.given...)
				return
			}
		}
		l.args++
	}
}

// flag returns the flag as typed, or nil.
func (l *line) flag(typed string) *kong.Flag {
	for _, f := range l.given {
		if typed == "--"+f.Name || f.Short != 0 && typed == "-"+string(f.Short) {
			return f
		}
	}
	return nil
}

// next returns the commands, or the values of the argument, that may follow.
func (l *line) next() (all []candidate) {
	if l.args == 0 {
		for _, c := range shown(l.node) {
			all = append(all, candidate{c.Name, c.Help})
		}
	}
	if pos := l.node.Positional; len(all) == 0 && l.args < len(pos) {
		all = enum(pos[l.args], "")
	}
	return all
}

// enum returns the allowed values, if they are limited.
func enum(v *kong.Value, prefix string) (all []candidate) {
	if v.Enum == "" {
		return nil
	}
	for _, w := range v.EnumSlice() {
		if w != "" {
			all = append(all, candidate{prefix + w, ""})
		}
	}
	return all
}
