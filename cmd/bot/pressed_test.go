package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pressed is every place in the code that makes buttons, and the rehearsal or test that
// presses them. Whoever makes one elsewhere adds it here.
var pressed = map[string]string{
	"internal/agent/sources.go:sourceButtons":       "testdata/rehearsals/buttons.txt",
	"internal/agent/loop.go:spoke":                  "goon_test.go",
	"internal/command/gate/press.go:buttons":        "testdata/rehearsals/buttons.txt",
	"internal/command/gate/form.go:formButtons":     "inquiry_test.go",
	"internal/command/gate/commands.go:offer":       "testdata/rehearsals/buttons.txt",
	"internal/command/gate/help.go:help":            "testdata/rehearsals/buttons.txt",
	"internal/command/gate/help.go:Page":            "testdata/rehearsals/buttons.txt",
	"internal/command/facts.go:paged":               "testdata/rehearsals/buttons.txt",
	"internal/command/digest.go:Learned":            "testdata/rehearsals/buttons.txt",
	"internal/memory/facts/told.go:Buttons":         "testdata/rehearsals/buttons.txt",
	"internal/command/language/language.go:show":    "testdata/rehearsals/buttons.txt",
	"internal/command/voice.go:choices":             "voice_test.go",
	"internal/command/listen.go:off":                "ambient_test.go",
	"internal/command/brought.go:Brought":           "brought_test.go",
	"internal/command/noteedit.go:which":            "testdata/rehearsals/buttons.txt",
	"internal/command/noteedit.go:versions":         "testdata/rehearsals/buttons.txt",
	"internal/tools/deed.go:Moved":                  "testdata/rehearsals/buttons.txt",
	"internal/app/reminders.go:reminderParts":       "testdata/rehearsals/buttons.txt",
	"internal/command/welcome/manners.go:joined":    examples + "/group.txt",
	"internal/command/welcome/manners.go:Knock":     "testdata/rehearsals/let-in.txt",
	"internal/command/gate/builtin.go:runPairList":  "testdata/rehearsals/let-in.txt",
	"internal/agent/scheduled/apart.go:ask":         "testdata/rehearsals/asked-again.txt",
	"internal/agent/handover/dossier.go:takeButton": examples + "/handoff.txt",
	"internal/agent/handover/dossier.go:backButton": examples + "/handoff.txt",
}

// TestEveryButtonIsKnown: nobody makes a button that is never pressed in a test.
func TestEveryButtonIsKnown(t *testing.T) {
	t.Parallel()
	made := map[string]bool{}
	for _, root := range []string{"cmd", "internal"} {
		err := filepath.WalkDir(filepath.Join("..", "..", root), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			name, _ := filepath.Rel(filepath.Join("..", ".."), path) // it is below
			for _, d := range f.Decls {
				if makesButtons(d) {
					made[filepath.ToSlash(name)+":"+nameOf(d)] = true
				}
			}
			return nil
		})
		must(t, err)
	}
	for _, place := range slices.Sorted(maps.Keys(made)) {
		if pressed[place] == "" {
			t.Errorf("%s makes buttons that no test presses: add it to pressed", place)
		}
	}
	for place, by := range pressed {
		if !made[place] {
			t.Errorf("%s makes no buttons", place)
		}
		if b, err := os.ReadFile(by); err != nil || !strings.Contains(string(b), "\npress ") && !strings.Contains(string(b), "Press(") {
			t.Errorf("%s presses no button of %s: %v", by, place, err)
		}
	}
}

// makesButtons reports whether a declaration writes a chat.Button down: a literal of
// that type, or one whose type is left out, with its two fields.
func makesButtons(d ast.Decl) (found bool) {
	ast.Inspect(d, func(n ast.Node) bool {
		l, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		fields := map[string]bool{}
		for _, e := range l.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				if id, ok := kv.Key.(*ast.Ident); ok {
					fields[id.Name] = true
				}
			}
		}
		sel, _ := l.Type.(*ast.SelectorExpr)
		found = found || sel != nil && sel.Sel.Name == "Button" || l.Type == nil && fields["Label"] && fields["Data"]
		return true
	})
	return found
}

func nameOf(d ast.Decl) string {
	if f, ok := d.(*ast.FuncDecl); ok {
		return f.Name.Name
	}
	return "a variable"
}
