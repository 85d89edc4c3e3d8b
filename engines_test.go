package parley_test

import (
	"go/ast"
	"testing"
)

// mostTwice is how many statements are said in two ways, for a file and for a server. All
// others both understand.
const mostTwice = 12

// TestStatementsAreSaidOnce: what decides about rows is written once, or the two engines
// keep different promises one day.
func TestStatementsAreSaidOnce(t *testing.T) {
	twice := 0
	for _, s := range sources(t) {
		if s.isTest() {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Either" {
					twice++
				}
			case *ast.KeyValueExpr:
				if k, ok := n.Key.(*ast.Ident); ok && k.Name == "Served" && s.path != "internal/memory/store.go" { // that one is the schema
					twice++
				}
			}
			return true
		})
	}
	if twice == 0 || twice > mostTwice {
		t.Errorf("%d statements are said in two ways; at most %d, and not none", twice, mostTwice)
	}
	t.Logf("%d statements are said in two ways", twice)
}
