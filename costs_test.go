package parley_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// costs are the things that get added, how many existing files each may change, and the
// tests that must pass afterwards, besides those of all. A file of an archive in
// testdata/costs is new and whole, unless its name begins with "insert " or "replace ": then its first line is a line of an
// existing file, and the others follow that line or take its place. Generated files and
// go.mod do not count: nobody edits them.
var costs = []struct {
	what  string // testdata/costs/WHAT.txtar
	most  int
	tests []string // packages
}{
	{"platform", 4, []string{"./internal/adapters/...", "./internal/app", "./internal/app/cli", "./internal/app/platform",
		"./internal/app/setup", "./config"}},
	{"tool", 2, []string{"./internal/tools", "./internal/app"}},
	{"command", 2, []string{"./internal/command/...", "./internal/app"}},
	{"setting", 2, []string{"./config", "./internal/app/setup"}},
	{"column", 3, []string{"./internal/memory", "./internal/memory/agenda", "./internal/memory/pgschema"}},
}

// TestCosts adds each to a copy of the tree, which then has to build and pass its tests.
// It takes minutes: make costs.
func TestCosts(t *testing.T) {
	if os.Getenv("PARLEY_COSTS") == "" {
		t.Skip("make costs")
	}
	for _, c := range costs {
		t.Run(c.what, func(t *testing.T) {
			tree := t.TempDir()
			copyTree(t, tree)
			added, err := txtar.ParseFile(filepath.Join("testdata", "costs", c.what+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			var changed []string
			for _, f := range added.Files {
				name, insert := strings.CutPrefix(f.Name, "insert ")
				name, replace := strings.CutPrefix(name, "replace ")
				edit := insert || replace
				to := filepath.Join(tree, name)
				before, err := os.ReadFile(to)
				if edit != (err == nil) {
					t.Fatalf("%s: an existing file is edited, a new one is whole: %v", f.Name, err)
				}
				after := f.Data
				if edit {
					changed = append(changed, name)
					after = edited(t, name, before, f.Data, insert)
				}
				if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(to, after, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			slices.Sort(changed)
			if changed = slices.Compact(changed); len(changed) > c.most {
				t.Errorf("a %s changes %d existing files, and may change %d: %q", c.what, len(changed), c.most, changed)
			}
			t.Logf("a %s changes %d existing files: %q", c.what, len(changed), changed)
			generate(t, tree)
			run(t, tree, "vet", "-trimpath", "-tags", "sqlite_fts5", "./...")
			test := []string{"test", "-trimpath", "-vet=off", "-short", "-tags", "sqlite_fts5"}
			run(t, tree, append(test, ".")...)
			run(t, tree, append(test, c.tests...)...)
			run(t, tree, append(test, "-run", "Docs|Commands|Config|Platforms", "./cmd/bot")...)
		})
	}
}

// edited puts the lines of what after its first one, which is a line of the file, or in
// its place.
func edited(t *testing.T, name string, file, what []byte, keep bool) []byte {
	t.Helper()
	anchor, lines, _ := bytes.Cut(what, []byte("\n"))
	before, after, found := bytes.Cut(file, append(append([]byte("\n"), anchor...), '\n'))
	if !found {
		t.Fatalf("%s: there is no line %q", name, anchor)
	}
	if keep {
		lines = slices.Concat(anchor, []byte("\n"), lines)
	}
	return slices.Concat(before, []byte("\n"), lines, after)
}

// generate runs the generators that CONTRIBUTING.md names.
func generate(t *testing.T, tree string) {
	t.Helper()
	run(t, tree, "test", "-trimpath", "-vet=off", "-tags", "sqlite_fts5", "./config", "-update")
	run(t, tree, "test", "-trimpath", "-vet=off", "-tags", "sqlite_fts5", "./internal/memory", "-run", "TestToday", "-update")
	run(t, tree, "test", "-trimpath", "-vet=off", "-tags", "sqlite_fts5", "./cmd/bot", "-run", "TestDocs", "-update")
}

// run runs go in a folder.
func run(t *testing.T, in string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = in
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "PARLEY_COSTS=") }), "PWD="+in)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out[max(0, len(out)-8000):])
	}
}

// copyTree copies the files that git knows.
func copyTree(t *testing.T, to string) {
	t.Helper()
	list, err := exec.CommandContext(t.Context(), "git", "ls-files", "-z").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range bytes.SplitSeq(bytes.TrimRight(list, "\x00"), []byte{0}) {
		file := filepath.Join(to, string(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		from, err := os.Stat(string(name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, read(t, string(name)), from.Mode()); err != nil {
			t.Fatal(err)
		}
	}
}
