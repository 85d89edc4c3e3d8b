// Package parley_test holds the shape of the project: who may import whom and
// why, which library lives where, how large things may get, and that the
// papers at the root say what is true. It is not a test of what Parley does.
package parley_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "parley/"

// source is one parsed Go file.
type source struct {
	path string // from the root, with slashes
	file *ast.File
	fset *token.FileSet
}

func (s source) dir() string          { return path.Dir(s.path) }
func (s source) isTest() bool         { return strings.HasSuffix(s.path, "_test.go") }
func (s source) line(p token.Pos) int { return s.fset.Position(p).Line }

// sources parses every Go file of the project.
func sources(t *testing.T) (all []source) {
	t.Helper()
	fset := token.NewFileSet()
	for _, name := range files(t) {
		if path.Ext(name) != ".go" {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, source{name, f, fset})
	}
	return all
}

// files lists the project, without what git keeps or ignores.
func files(t *testing.T) (all []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "data"}, name):
			return fs.SkipDir
		case d.Type().IsRegular() && name != ".git": // a file in a second work tree
			all = append(all, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (a allowed) admits(from, to string) bool {
	match, _ := path.Match(a.from, from) // the patterns are ours
	into, _ := path.Match(a.to, to)
	return (a.from == "*" || match) && (a.to == "*" || into || isLibrary(a.to) && strings.HasPrefix(to, a.to+"/"))
}

// isLibrary tells a path with a host from a folder and the standard library.
func isLibrary(p string) bool {
	host, _, _ := strings.Cut(p, "/")
	return strings.Contains(host, ".")
}

// boundary is a word that says what a package is not.
var boundary = regexp.MustCompile(`(?i)\b(not|no|never|nothing|nobody|none|neither|nor|only)\b`)

func TestPackageComments(t *testing.T) {
	comments, packages := map[string]string{}, map[string]string{}
	for _, s := range sources(t) {
		if s.isTest() {
			continue
		}
		packages[s.dir()] = s.file.Name.Name
		if s.file.Doc != nil {
			if comments[s.dir()] != "" {
				t.Errorf("%s: the package has a second package comment", s.path)
			}
			comments[s.dir()] = s.file.Doc.Text()
		}
	}
	for dir, name := range packages {
		begins := "Package " + name + " "
		if name == "main" {
			begins = "Command " + path.Base(dir) + " "
		}
		if !strings.HasPrefix(comments[dir], begins) {
			t.Errorf("%s: the package comment does not begin with %q", dir, begins)
		} else if !boundary.MatchString(comments[dir]) {
			t.Errorf("%s: the package comment does not say what the package is not", dir)
		}
	}
}

// foreign is a path that exists on one person's machine only.
var foreign = regexp.MustCompile(`(^|[^\w./~-])/(work|root|home/\w+|Users/\w+)/\w`)

func TestNoPathsOfOneMachine(t *testing.T) {
	for _, name := range files(t) {
		for i, line := range bytes.Split(read(t, name), []byte("\n")) {
			if foreign.Match(line) {
				t.Errorf("%s:%d names a path of one machine: %s", name, i+1, bytes.TrimSpace(line))
			}
		}
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
