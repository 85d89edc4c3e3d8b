package code

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
)

// maxNest limits how deep brackets nest, because go/parser recurses.
const maxNest = 1000

// goSymbols lists what a Go file declares, up to the first syntax error; ok is false if
// that is nothing.
func goSymbols(data string) (all []Symbol, ok bool) {
	if nesting(data) > maxNest {
		return nil, false
	}
	fset := token.NewFileSet()
	file, _ := parser.ParseFile(fset, "", data, parser.SkipObjectResolution)
	if file == nil {
		return nil, false
	}
	g := &goFile{fset: fset}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			g.add(decl.Name, receiver(decl), false)
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				g.spec(spec)
			}
		}
	}
	slices.SortStableFunc(g.all, byLine)
	return g.all, len(g.all) > 0
}

type goFile struct {
	fset *token.FileSet
	all  []Symbol
}

func (g *goFile) add(id *ast.Ident, owner string, minor bool) {
	if len(g.all) < maxSymbols && id.Name != "_" {
		g.all = append(g.all, Symbol{id.Name, owner, g.fset.Position(id.Pos()).Line, minor})
	}
}

func (g *goFile) spec(spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		g.add(spec.Name, "", false)
		switch t := spec.Type.(type) {
		case *ast.StructType:
			g.fields(t.Fields, spec.Name.Name)
		case *ast.InterfaceType:
			g.fields(t.Methods, spec.Name.Name)
		}
	case *ast.ValueSpec:
		for _, id := range spec.Names {
			g.add(id, "", false)
		}
	}
}

func (g *goFile) fields(list *ast.FieldList, owner string) {
	for _, f := range list.List {
		for _, id := range f.Names {
			g.add(id, owner, true)
		}
	}
}

// nesting returns roughly how deep the brackets of a text nest.
func nesting(data string) (deepest int) {
	open, run := 0, 0
	for i := range len(data) {
		switch data[i] {
		case '(', '[', '{':
			open++
			run++
		case ')', ']', '}':
			open--
		case '*', '&', '!', '-', '+', '^', '<', '~':
			run++ // operators nest too
		case ' ', '\t':
		default:
			run = 0
		}
		deepest = max(deepest, open, run)
	}
	return deepest
}

func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return ""
	}
	t := f.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}
