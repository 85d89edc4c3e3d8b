package parley_test

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// allowed is a library that may be used in the folders that from matches, as path.Match
// knows it, and why.
type allowed struct{ from, to, why string }

// door is a folder under internal/ and what it may import of the others.
type door struct {
	name, imports, why string
}

// doors are the folders under internal/, low to high. Within a door, packages are its own
// matter. Tests and fakes (packages named …test) may import anything.
var doors = []door{
	{"text", "", "words for people need nobody"},
	{"chat", "text", "knows no model, no SQL and no platform"},
	{"llm", "text", "a model call needs no conversation"},
	{"db", "text", "an engine knows no table"},
	{"memory", "chat db llm text", "rows of conversations; of llm the types that are stored"},
	{"notes", "db llm text", "a folder of notes belongs to no conversation"},
	{"playbook", "llm text", "state in, state out: it calls no tool and stores nothing"},
	{"tools", "chat llm memory notes playbook text", "a capability has a narrow view of rows, and writes no SQL"},
	{"agent", "chat llm memory notes playbook tools text", "touches no SQL and no platform"},
	{"command", "chat llm memory notes playbook tools text", "authority and commands; hands questions on to the agent"},
	{"adapters", "chat llm/provider text", "translate; decide and store nothing"},
	{"app", "*", "wires everything"},
}

// beyond are the folders outside internal/.
var beyond = []door{
	{"cmd", "app text config", "the command line"},
	{"config", "text", "settings are known to the process alone"},
}

func TestDoors(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range sources(t) {
		from, inside := strings.CutPrefix(s.dir()+"/", "internal/")
		from, _, _ = strings.Cut(from, "/")
		seen[from] = seen[from] || inside
		table := beyond
		if inside {
			table = doors
		}
		i := slices.IndexFunc(table, func(d door) bool { return d.name == from })
		if inside && i < 0 {
			t.Fatalf("internal/%s is no door: put it behind one of the twelve", from)
		}
		if i < 0 || s.isTest() || isFake(s.dir()) {
			continue
		}
		for _, spec := range s.file.Imports {
			to, _ := strconv.Unquote(spec.Path.Value) // it was parsed
			if to, ours := strings.CutPrefix(to, module); ours && !table[i].opens(to) {
				t.Errorf("%s:%d imports %s; %s may import %q: %s", s.path, s.line(spec.Pos()), to, from, table[i].imports, table[i].why)
			}
		}
	}
	for _, d := range doors {
		if !seen[d.name] {
			t.Errorf("internal/%s is not there", d.name)
		}
	}
}

// opens reports whether a package may be imported behind d.
func (d door) opens(to string) bool {
	to = strings.TrimPrefix(to, "internal/")
	return d.imports == "*" || slices.ContainsFunc(append(strings.Fields(d.imports), d.name), func(may string) bool {
		return to == may || strings.HasPrefix(to, may+"/")
	})
}

// isFake tells packages that are there for tests.
func isFake(dir string) bool { return strings.HasSuffix(dir, "test") }

func TestLibraries(t *testing.T) {
	for _, s := range sources(t) {
		for _, spec := range s.file.Imports {
			to, _ := strconv.Unquote(spec.Path.Value) // it was parsed
			if !isLibrary(to) {
				continue
			}
			table := libraries
			if s.isTest() {
				table = slices.Concat(libraries, forTests)
			}
			if !slices.ContainsFunc(table, func(a allowed) bool { return a.admits(s.dir(), to) }) {
				t.Errorf("%s:%d uses %s, which libraries_test.go does not allow there", s.path, s.line(spec.Pos()), to)
			}
		}
	}
}

// TestCapabilitiesAreFoundBehindTheFence: a type assertion finds none on an adapter in a
// fence, and on a bare one it leads around the fence.
func TestCapabilitiesAreFoundBehindTheFence(t *testing.T) {
	of := map[string]bool{}
	for _, s := range sources(t) {
		if s.path == "internal/chat/capabilities.go" {
			for name, object := range s.file.Scope.Objects {
				if spec, ok := object.Decl.(*ast.TypeSpec); ok {
					_, of[name] = spec.Type.(*ast.InterfaceType)
				}
			}
		}
	}
	if len(of) < 10 {
		t.Fatal("where are the capabilities?")
	}
	for _, s := range sources(t) {
		if s.isTest() || isFake(s.dir()) || strings.HasPrefix(s.dir(), "internal/adapters") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			a, ok := n.(*ast.TypeAssertExpr)
			if !ok {
				return true
			}
			name, here := a.Type.(*ast.Ident)
			here = here && s.dir() == "internal/chat" && s.path != "internal/chat/fence.go"
			if sel, ok := a.Type.(*ast.SelectorExpr); ok {
				from, _ := sel.X.(*ast.Ident)
				name, here = sel.Sel, from != nil && from.Name == "chat"
			}
			if here && of[name.Name] {
				t.Errorf("%s:%d: use chat.As[%s]", s.path, s.line(a.Pos()), name.Name)
			}
			return true
		})
	}
}
