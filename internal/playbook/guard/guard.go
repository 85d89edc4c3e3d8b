// Package guard decides whether a tool may be called: conditions that the owner
// wrote, over the call's arguments, earlier calls and their results, the person, the
// place and the time. It is pure: it reads no clock, no storage and no settings, asks
// no model and no person, and every decision is bounded in time and memory.
package guard

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/expr-lang/expr/vm"

	"parley/internal/playbook/sheet"
)

// Rule is one guard as its owner writes it.
type Rule struct {
	ID        string `json:"id" rule:"required format=id" doc:"Unique name."`
	Tool      string `json:"tool" rule:"required len=1..400" doc:"The tool it guards; * stands for any letters, | between several."`
	Require   string `json:"require" rule:"required len=1..4000" doc:"An expression over args, last(tool), calls(tool), confirmed(), person, role, place, variables and now(); the call is made only if it is true."`
	Otherwise string `json:"otherwise,omitempty" rule:"enum=refuse|confirm|handoff" doc:"What happens if it is false: refuse (when absent), confirm (the person is asked) or handoff (refused, and people are to take over)."`
	Say       string `json:"say,omitempty" rule:"len=1..500" doc:"Why, in a sentence for the model and the person."`
	Enabled   *bool  `json:"enabled,omitempty" doc:"false switches it off; true when absent."`

	At sheet.Place // where it was written; zero for a rule of no file
}

// Guard is a compiled Rule. It never changes and serves many goroutines.
type Guard struct {
	Rule
	program *vm.Program
	reads   []string // tools whose earlier calls it looks at, patterns as they are
}

// maxNodes bounds an expression; a policy's longest condition has about 150.
const maxNodes = 1000

// New compiles a rule. variables are the names that it may use; the error says what is
// wrong with Require, with the name that was meant where one is near.
func New(r Rule, variables []string) (*Guard, error) {
	for one := range strings.SplitSeq(r.Tool, "|") {
		if _, err := path.Match(one, ""); err != nil || strings.TrimSpace(one) == "" {
			return nil, fmt.Errorf("tool: %q is no pattern", r.Tool)
		}
	}
	tree, err := parse(r.Require)
	if err != nil {
		return nil, err
	}
	n := &names{variables: variables}
	if err := n.check(tree); err != nil {
		return nil, err
	}
	if err := typed(r.Require, nil, nil); err != nil {
		return nil, err
	}
	program, err := strict(r.Require)
	if err != nil {
		return nil, err
	}
	return &Guard{Rule: r, program: program, reads: n.reads}, nil
}

// patternSigns make more of a name than one tool.
const patternSigns = "*?[|"

// Tools returns the names of the tools that the guard depends on: the one it is about,
// and those it reads. Patterns are left out.
func (g *Guard) Tools() (list []string) {
	for _, pattern := range append([]string{g.Tool}, g.reads...) {
		for name := range strings.SplitSeq(pattern, "|") {
			if name = strings.TrimSpace(name); !strings.ContainsAny(name, patternSigns) && !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	return list
}

// fits reports whether a tool is one of those that a pattern names, with | between them.
func fits(pattern, tool string) bool {
	for one := range strings.SplitSeq(pattern, "|") {
		if ok, err := path.Match(strings.TrimSpace(one), tool); ok && err == nil {
			return true
		}
	}
	return false
}

// Check compares the guard with the arguments of the tools that are known, by their
// JSON Schemas. A tool without one is left to the time of the call.
func (g *Guard) Check(schemas map[string][]byte) error {
	tree, err := parse(g.Require)
	if err != nil {
		return err
	}
	var found []error
	for _, tool := range slices.Sorted(maps.Keys(schemas)) {
		if !fits(g.Tool, tool) {
			continue
		}
		n := &names{args: schemas[tool], schemas: schemas}
		err := cmp.Or(n.check(tree), typed(g.Require, schemas[tool], schemas))
		if err != nil && strings.ContainsAny(g.Tool, patternSigns) {
			err = fmt.Errorf("for %s: %w", tool, err)
		}
		found = append(found, err)
	}
	if len(found) == 0 { // its own tool is not known, those it reads may be
		found = append(found, (&names{schemas: schemas}).check(tree), typed(g.Require, nil, schemas))
	}
	return cmp.Or(found...)
}

// Guards are those of a playbook, in its order.
type Guards []*Guard

// Cover returns those about a tool that are switched on.
func (gs Guards) Cover(tool string) (list Guards) {
	for _, g := range gs {
		if (g.Enabled == nil || *g.Enabled) && fits(g.Tool, tool) {
			list = append(list, g)
		}
	}
	return list
}

// Read reports whether a guard looks at earlier calls of a tool.
func (gs Guards) Read(tool string) bool {
	return slices.ContainsFunc(gs, func(g *Guard) bool {
		return slices.ContainsFunc(g.reads, func(p string) bool { return fits(p, tool) })
	})
}

var errTooLong error = lack{words: "it takes too long"}
