package parley_test

import (
	"go/ast"
	"strings"
	"testing"
)

// sleeps are the places where a test waits for a fixed time, and why. Each one
// is either too short on a busy machine or too long on an idle one, so there
// are at most maxSleeps. Elsewhere a test waits for something, with
// waittest.Until, or lets a synctest bubble's time pass, with waittest.Pass.
var sleeps = map[string]string{
	"internal/text/waittest/wait.go:Pass": "panics outside a bubble, where time is not real",
	"cmd/bot/figures_test.go:rest":        "a figure: memory a minute after a burst, an outage of seconds",
}

const maxSleeps = 5

func TestNobodySleeps(t *testing.T) {
	if len(sleeps) > maxSleeps {
		t.Errorf("%d places may sleep; at most %d", len(sleeps), maxSleeps)
	}
	found := map[string]bool{}
	for _, s := range sources(t) {
		if !s.isTest() && !strings.HasSuffix(s.dir(), "test") {
			continue
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			cases := map[ast.Node]bool{} // of a select: they wait for something else, too
			ast.Inspect(f, func(n ast.Node) bool {
				if c, ok := n.(*ast.CommClause); ok {
					cases[c.Comm] = true
				}
				if cases[n] || !isSleep(n) {
					return true
				}
				where := s.path + ":" + f.Name.Name
				if found[where] = true; sleeps[where] == "" {
					t.Errorf("%s:%d waits for a fixed time: use internal/text/waittest", s.path, s.line(n.Pos()))
				}
				return true
			})
		}
	}
	for where := range sleeps {
		if !found[where] {
			t.Errorf("%s does not sleep any more", where)
		}
	}
}

// isSleep finds time.Sleep, called or handed on, and a statement that only
// waits for time.After, which is the same.
func isSleep(n ast.Node) bool {
	if e, ok := n.(*ast.ExprStmt); ok {
		if u, ok := e.X.(*ast.UnaryExpr); ok {
			c, ok := u.X.(*ast.CallExpr)
			return ok && isOfTime(c.Fun, "After")
		}
	}
	return isOfTime(n, "Sleep")
}

func isOfTime(n ast.Node, name string) bool {
	sel, ok := n.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "time"
}
