// Command .ci says which tests a short run, or one with the race detector, leaves out or
// makes shorter: a pattern for -run in the first line, and in the second those of the rooms
// named that have some. A test counts where it, or a function of its room that it names,
// asks for one of them; one too many does no harm.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// asked are the ways to learn of a short run, or of the race detector.
var asked = []string{"testing.Short", "waittest.Alone", "waittest.Racing"}

func main() {
	log.SetFlags(0)
	var tests, rooms []string
	for _, dir := range os.Args[1:] {
		list, err := shortened(dir)
		if err != nil {
			log.Fatal(err)
		}
		if len(list) > 0 {
			tests, rooms = append(tests, list...), append(rooms, dir)
		}
	}
	slices.Sort(tests)
	fmt.Printf("^(%s)$\n%s\n", strings.Join(slices.Compact(tests), "|"), strings.Join(rooms, " "))
}

// shortened returns the names of the tests of a room that are.
func shortened(dir string) (tests []string, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, err
	}
	says := map[string][]string{} // what a function names
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				says[f.Name.Name] = append(says[f.Name.Name], named(f)...)
			}
		}
	}
	asks := slices.Clone(asked)
	for more := true; more; {
		more = false
		for f, list := range says {
			if !slices.Contains(asks, f) && slices.ContainsFunc(list, func(s string) bool { return slices.Contains(asks, s) }) {
				asks, more = append(asks, f), true
			}
		}
	}
	return slices.DeleteFunc(asks, func(s string) bool { return !strings.HasPrefix(s, "Test") }), nil
}

// named returns what a function names, itself left out: words alone, and two with a point.
func named(f *ast.FuncDecl) (list []string) {
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			list = append(list, n.Name)
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				list = append(list, x.Name+"."+n.Sel.Name)
			}
		}
		return true
	})
	return list
}
