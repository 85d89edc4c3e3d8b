package playbook

import (
	"slices"

	"parley/internal/playbook/guard"
	"parley/internal/playbook/sheet"
)

// compileGuards compiles the guards, and checks them against the tools that are known.
func (b *Book) compileGuards() {
	var taken []string
	for _, r := range b.doc.Guards {
		if slices.Contains(taken, r.ID) {
			r.At.Mistake("id", "%q is defined twice", r.ID)
		}
		taken = append(taken, r.ID)
		if r.Tool == "" || r.Require == "" {
			continue // reported when the file was read
		}
		g, err := guard.New(r, sortedKeys(b.variables))
		if err == nil {
			err = g.Check(b.options.Schemas)
		}
		if err != nil {
			r.At.Mistake("require", "%v", err)
			continue
		}
		b.guards = append(b.guards, g)
	}
}

// Guards returns the conditions on tool calls, in the order of the files.
func (b *Book) Guards() guard.Guards { return b.guards }

// guardedTools finds names of tools in guards that are nearly those of tools that are
// known. Others may come from a server, and are checked when they do.
func (l *linter) guardedTools() {
	for _, g := range l.b.guards {
		for _, name := range g.Tools() {
			if near := sheet.Suggest(name, l.Tools); near != "" && !slices.Contains(l.Tools, name) {
				l.add(g.At, g.ID, "unknown tool", "%s%s", name, near)
			}
		}
	}
}
