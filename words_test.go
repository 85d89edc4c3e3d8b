package parley_test

import (
	"go/ast"
	"path"
	"strings"
	"testing"
)

// formats is where the format stands among the arguments of the functions that
// take one. go vet compares the words with the arguments of these, and of all
// that hand a format on to them, as long as it can tell which words are meant.
var formats = map[string]int{"fmt.Sprintf": 0, "fmt.Errorf": 0, "fmt.Printf": 0, "fmt.Fprintf": 1, "fmt.Appendf": 1,
	"catalog.Say": 1, "p.Say": 0, "text.Tell": 0}

// chosen are the formats that are chosen while the program runs, and between
// which words. Each of these has one place, for one text.
var chosen = map[string]string{
	"internal/agent/attachments/open.go:sorry": "wordsBlind wordsDeaf wordsFileGone wordsFileLost wordsFileEmpty " +
		"wordsFileKind wordsFileFake wordsFileFull " +
		"wordsNotHeard wordsSpeechLong wordsImageHuge wordsImageBroken wordsPDFBroken",
}

// TestFormatsAreKnown: words that do not fit what is filled in show "%!(EXTRA" to people,
// and go vet sees that only where they are not chosen at run time.
func TestFormatsAreKnown(t *testing.T) {
	words := map[string]string{} // by folder and name
	for _, s := range sources(t) {
		for name, o := range s.file.Scope.Objects {
			v, ok := o.Decl.(*ast.ValueSpec)
			if ok && o.Kind == ast.Con && len(v.Values) == 1 {
				if text, ok := v.Values[0].(*ast.BasicLit); ok {
					words[s.dir()+":"+name] = text.Value
				}
			}
		}
		if s.isTest() || s.dir() == "internal/text/catalog" { // which is handed them
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				if format := formatOf(c); format != nil && !constantFormat(format) && chosen[chosenName(s, format)] == "" {
					t.Errorf("%s:%d: these words are chosen at run time: fill each in where it is chosen", s.path, s.line(c.Pos()))
				}
			}
			return true
		})
	}
	for where, names := range chosen {
		for name := range strings.FieldsSeq(names) {
			if text := words[path.Dir(where)+":"+name]; strings.Count(text, "%") != 1 || !strings.Contains(text, "%s") {
				t.Errorf("%s: %s is %s, and not words with one place", where, name, text)
			}
		}
	}
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
