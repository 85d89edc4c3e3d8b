package parley_test

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// formats is where the format stands among the arguments of the functions that
// take one. go vet compares the words with the arguments of these, and of all
// that hand a format on to them, as long as it can tell which words are meant.
var formats = map[string]int{"fmt.Sprintf": 0, "fmt.Errorf": 0, "fmt.Printf": 0, "fmt.Fprintf": 1, "fmt.Appendf": 1,
	"catalog.Say": 1, "p.Say": 0, "text.Tell": 0}

// chosen are the formats that are chosen while the program runs. Functions of the file
// return them as what they name sorry, each with one place for one text.
var chosen = []string{"internal/agent/attachments/open.go:sorry"}

// TestFormatsAreKnown: words that do not fit what is filled in show "%!(EXTRA" to people,
// and go vet sees that only where they are not chosen at run time.
func TestFormatsAreKnown(t *testing.T) {
	checked := 0
	for _, s := range sources(t) {
		if s.isTest() || s.dir() == "internal/text/catalog" { // which is handed them
			continue
		}
		if slices.Contains(chosen, s.path+":sorry") {
			for _, said := range sorry(s) {
				checked++
				if said != "" && (strings.Count(said, "%") != 1 || !strings.Contains(said, "%s")) {
					t.Errorf("%s: %q does not have one place", s.path, said)
				}
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				if format := formatOf(c); format != nil && !constantFormat(format) && !slices.Contains(chosen, chosenName(s, format)) {
					t.Errorf("%s:%d: these words are chosen at run time: fill each in where it is chosen", s.path, s.line(c.Pos()))
				}
			}
			return true
		})
	}
	if checked < 5 {
		t.Errorf("only %d chosen formats were found", checked)
	}
}

// sorry returns the texts that functions with a result of this name return.
func sorry(s source) (texts []string) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		f, ok := n.(*ast.FuncDecl)
		if !ok || f.Type.Results == nil || len(f.Type.Results.List[0].Names) == 0 || f.Type.Results.List[0].Names[0].Name != "sorry" {
			return true
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) == 1 {
				if said, ok := constant(r.Results[0], s); ok {
					texts = append(texts, said)
				}
			}
			return true
		})
		return true
	})
	return texts
}

// formatOf returns the format of a call, nil when it has none.
func formatOf(c *ast.CallExpr) ast.Expr {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	pkg, ok := sel.X.(*ast.Ident)
	if !ok {
		return nil
	}
	if at, ok := formats[pkg.Name+"."+sel.Sel.Name]; ok && at < len(c.Args) {
		return c.Args[at]
	}
	return nil
}

func chosenName(s source, format ast.Expr) string {
	if name, ok := format.(*ast.Ident); ok {
		return s.path + ":" + name.Name
	}
	return s.path
}

// constantFormat tells what vet can read: a literal, a constant, the argument
// format or words of a function that hands it on, and sums of these.
func constantFormat(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.ParenExpr:
		return constantFormat(e.X)
	case *ast.BinaryExpr:
		return constantFormat(e.X) && constantFormat(e.Y)
	case *ast.SelectorExpr:
		return e.Sel.Name == "words" // kept to be said later
	case *ast.Ident:
		return e.Obj == nil || e.Obj.Kind == ast.Con || e.Name == "format" || e.Name == "words"
	}
	return false
}
