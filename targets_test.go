package parley_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// targets are the systems that make release builds for, as GOOS/GOARCH, but for the one that
// the tests run on.
var targets = []string{"windows/amd64", "darwin/arm64", "linux/arm"}

// TestCompilesElsewhere: the program passes the compiler's checks on systems on which
// nothing is run. C is taken as it is said to be, so that no other compiler is needed.
func TestCompilesElsewhere(t *testing.T) {
	if testing.Short() {
		t.Skip("not in a short run")
	}
	for _, target := range targets {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			w := world{target: target, fset: token.NewFileSet(), packages: map[string]*types.Package{"unsafe": types.Unsafe}}
			for _, e := range w.check(t) {
				t.Error(e)
			}
		})
	}
}

// world is all that a program is made of on one system.
type world struct {
	target   string
	fset     *token.FileSet
	packages map[string]*types.Package
	of       map[string]string // where the imports of the package being checked lead
}

// listed is what go list says of a package.
type listed struct {
	Dir, ImportPath   string
	GoFiles, CgoFiles []string
	ImportMap         map[string]string
	Module            *struct{ Main bool }
}

// check returns what is wrong with the packages of the project.
func (w *world) check(t *testing.T) (wrong []error) {
	system, arch, _ := strings.Cut(w.target, "/")
	cmd := exec.Command("go", "list", "-tags", "sqlite_fts5", "-deps", "-json=Dir,ImportPath,GoFiles,CgoFiles,ImportMap,Module", "./cmd/bot")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "GOOS="+system, "GOARCH="+arch)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; { // what is imported comes first
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return wrong
		} else if err != nil {
			t.Fatal(err)
		}
		if p.ImportPath == "unsafe" {
			continue
		}
		ours := p.Module != nil && p.Module.Main
		w.of = p.ImportMap
		cfg := types.Config{Importer: w, FakeImportC: true, IgnoreFuncBodies: !ours, Sizes: types.SizesFor("gc", arch),
			GoVersion: "", Error: func(err error) {
				if ours {
					wrong = append(wrong, err)
				}
			}}
		w.packages[p.ImportPath], _ = cfg.Check(p.ImportPath, w.fset, w.parse(t, p), nil)
	}
}

func (w *world) parse(t *testing.T, p listed) (files []*ast.File) {
	for _, name := range append(p.GoFiles, p.CgoFiles...) {
		f, err := parser.ParseFile(w.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// Import implements types.Importer.
func (w *world) Import(path string) (*types.Package, error) {
	if to := w.of[path]; to != "" {
		path = to
	}
	if p := w.packages[path]; p != nil {
		return p, nil
	}
	return nil, &build.NoGoError{Dir: path}
}
