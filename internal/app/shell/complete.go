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

// Completion prints the script that makes a shell ask.
type Completion struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

// Help says how the script is put to use.
func (Completion) Help() string {
	return "For the session that you are in: \"eval \"$(bot completion bash)\"\", the same with zsh, or \"bot " +
		"completion fish | source\". Packages install all three."
}

// Run prints it.
func (c Completion) Run(p *kong.Kong) error {
	b, err := scripts.ReadFile("scripts/bot." + c.Shell)
	if err != nil {
		return fmt.Errorf("completion: %w", err)
	}
	_, err = p.Stdout.Write(b)
	return err
}

// Complete lists what could stand at the end of a command line, for the scripts.
// Nothing at all means that the shell may offer files.
type Complete struct {
	Words []string `arg:"" optional:"" passthrough:""` // after "bot"; the last one is unfinished
}

// Run prints a candidate on each line: the word, a tab and what it means.
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

// candidate is a word that could stand next.
type candidate struct{ word, about string }

// line is how far a command line has been read.
type line struct {
	node    *kong.Node
	given   []*kong.Flag // of node and what is above it
	pending *kong.Flag   // waits for its value; nil if none does
	args    int          // positional arguments that stand already
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
	if last == "=" { // bash makes a word of it
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

// flag returns the flag of that name as typed, or nil.
func (l *line) flag(typed string) *kong.Flag {
	for _, f := range l.given {
		if typed == "--"+f.Name || f.Short != 0 && typed == "-"+string(f.Short) {
			return f
		}
	}
	return nil
}

// next returns the commands, or the values of the argument, that could follow.
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

// enum returns the words that a value must be one of, if there are such.
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
