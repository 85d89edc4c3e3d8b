// Package plantest asks SQLite how it would run every query that is written down
// in the source, and refuses those that read whole tables that grow. It needs no
// rows: without statistics a plan depends on the schema alone.
package plantest

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/internal/db/engine"
	"parley/internal/db/sqlite"
)

// Check explains every constant query of the Go files in some folders, without
// their tests, on a database with the whole schema. growing are the tables that no
// query may read from end to end; reading all of a partial index is fine, since
// it holds what is open. excused names queries by how they begin, or files, with the
// reason; one that is not met, or that would pass, is an error.
func Check(t *testing.T, db *engine.DB, folders, growing []string, excused map[string]string) {
	t.Helper()
	partial := partialIndexes(t, db)
	met := map[string]bool{}
	queries := 0
	written := constants(t, folders)
	plans, err := Plans(t.Context(), db.Path(), slices.Collect(maps.Values(written)))
	if err != nil {
		t.Fatal(err)
	}
	for place, query := range written {
		queries++
		for _, step := range plans[query] {
			table := scanned(query, step, growing)
			if table == "" || partial[indexOf(step)] {
				continue
			}
			if begin := excuse(excused, place, query); begin != "" {
				met[begin] = true
				continue
			}
			t.Errorf("%s reads all of %s (%s):\n%s", place, table, step, query)
		}
	}
	for begin := range excused {
		if !met[begin] {
			t.Errorf("no query that reads a whole table begins with %q: take the excuse away", begin)
		}
	}
	if queries < len(folders) {
		t.Errorf("only %d queries were found", queries)
	}
}

func excuse(excused map[string]string, place, query string) string {
	file, _, _ := strings.Cut(place, ":")
	if _, named := excused[file]; named {
		return file
	}
	query = strings.Join(strings.Fields(query), " ")
	for begin := range excused {
		if strings.HasPrefix(query, begin) {
			return begin
		}
	}
	return ""
}

var usedIndex = regexp.MustCompile(`USING (?:COVERING )?INDEX (\w+)`)

func indexOf(step string) string {
	if m := usedIndex.FindStringSubmatch(step); m != nil {
		return m[1]
	}
	return ""
}

// scanned returns the table that a step of a plan reads whole, "" for none that
// grows. A step names a table as the query calls it.
func scanned(query, step string, growing []string) string {
	rest, ok := strings.CutPrefix(step, "SCAN ")
	if !ok || strings.Contains(step, "VIRTUAL TABLE INDEX") {
		return ""
	}
	name, _, _ := strings.Cut(rest, " ")
	for _, table := range growing {
		if name == table || regexp.MustCompile(`\b`+table+`\s+(?:AS\s+)?`+regexp.QuoteMeta(name)+`\b`).MatchString(query) {
			return table
		}
	}
	return ""
}

func partialIndexes(t *testing.T, db *engine.DB) map[string]bool {
	rows, err := db.QueryContext(t.Context(), "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql LIKE '% WHERE %'")
	if err != nil {
		t.Fatal(err)
	}
	names, err := engine.Collect(rows, engine.Value[string])
	if err != nil || len(names) == 0 {
		t.Fatal(len(names), err)
	}
	all := map[string]bool{}
	for _, name := range names {
		all[name] = true
	}
	return all
}

// constants returns the constant queries by where they are.
func constants(t *testing.T, folders []string) map[string]string {
	fset, folds := token.NewFileSet(), map[string]*fold{}
	for _, dir := range folders {
		f := &fold{consts: map[string]ast.Expr{}, others: folds}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			// for a server alone
			if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") || strings.HasPrefix(e.Name(), "served") {
				continue
			}
			file, err := parser.ParseFile(fset, filepath.Join(dir, e.Name()), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			f.files = append(f.files, file)
			f.declare(file)
		}
		folds[filepath.Base(dir)] = f
	}
	all := map[string]string{}
	for _, f := range folds {
		for _, file := range f.files {
			f.queries(file, func(at token.Pos, query string) { all[fmt.Sprint(fset.Position(at))] = query })
		}
	}
	return all
}

// fold evaluates the constant texts of a package.
type fold struct {
	files  []*ast.File
	consts map[string]ast.Expr
	others map[string]*fold // by package name
}

// declare notes constants, also those within functions.
func (f *fold) declare(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.CONST {
			for _, spec := range d.Specs {
				v := spec.(*ast.ValueSpec)
				for i, value := range v.Values {
					f.consts[v.Names[i].Name] = value
				}
			}
		}
		return true
	})
}

// queries calls found for each constant that is a statement: not for the parts
// of one, and not where a constant is declared.
func (f *fold) queries(file *ast.File, found func(token.Pos, string)) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.CONST
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Either" { // the other text is a server's
				n.Args = n.Args[:1]
			}
		case ast.Expr:
			if text, ok := f.value(n); ok {
				if statement.MatchString(text) && !strings.Contains(text, "%s") {
					found(n.Pos(), text)
				}
				return false
			}
			_, joined := n.(*ast.BinaryExpr)
			return !joined
		}
		return true
	})
}

// statement tells a statement from its beginning alone, to which a table's name is added.
var statement = regexp.MustCompile(`^\s*((SELECT|UPDATE|WITH)\s|INSERT\s[A-Z ]*INTO\s+\w|DELETE\s+FROM\s+\w)`)

func (f *fold) value(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		return unquote(e.Value)
	case *ast.ParenExpr:
		return f.value(e.X)
	case *ast.Ident:
		if c := f.consts[e.Name]; c != nil {
			return f.value(c)
		}
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok && f.others[x.Name] != nil && f.others[x.Name].consts[e.Sel.Name] != nil {
			return f.others[x.Name].value(f.others[x.Name].consts[e.Sel.Name])
		}
	case *ast.BinaryExpr:
		a, ok := f.value(e.X)
		b, too := f.value(e.Y)
		return a + b, ok && too && e.Op == token.ADD
	}
	return "", false
}

func unquote(literal string) (string, bool) {
	text, err := strconv.Unquote(literal)
	return text, err == nil
}

// Plans returns SQLite's plan of each statement, by its text. Tests check that they use
// their indexes; a statement may be one that changes something.
func Plans(ctx context.Context, path string, queries []string) (map[string][]string, error) {
	conn, done, err := sqlite.Fresh(ctx, path)
	if err != nil {
		return nil, err
	}
	defer done()
	plans := make(map[string][]string, len(queries))
	for _, query := range queries {
		text, _, err := engine.Numbered(query, "?")
		if err != nil {
			return nil, engine.During(query, err)
		}
		args := make([]any, strings.Count(text, "?")) // NULLs, and never too few
		rows, err := conn.QueryContext(ctx, "EXPLAIN QUERY PLAN "+text, args...)
		if err != nil {
			return nil, engine.During(query, err)
		}
		plans[query], err = engine.Collect(rows, func(rows engine.Scanner) (step string, err error) {
			var id, parent, unused int
			err = rows.Scan(&id, &parent, &unused, &step)
			return step, err
		})
		if err != nil {
			return nil, engine.During(query, err)
		}
	}
	return plans, nil
}
