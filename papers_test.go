package parley_test

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	makeCommand = regexp.MustCompile("(?m)(?:^\\s*|`|&& )make ([a-z]+)")
	makeTarget  = regexp.MustCompile(`(?m)^([a-z]+):`)
)

func TestPapersNameMakefileTargets(t *testing.T) {
	targets := map[string]bool{}
	for _, m := range makeTarget.FindAllSubmatch(read(t, "Makefile"), -1) {
		targets[string(m[1])] = true
	}
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", ".ci/run"} {
		found := makeCommand.FindAllSubmatch(read(t, name), -1)
		if name != "ARCHITECTURE.md" && len(found) == 0 {
			t.Errorf("%s: names no make command", name)
		}
		for _, m := range found {
			if !targets[string(m[1])] {
				t.Errorf("%s: says make %s, which is not in the Makefile", name, m[1])
			}
		}
	}
}

// namedFile is a file as the papers name it: one without a folder may be
// anywhere, so that moving it keeps the page true.
var namedFile = regexp.MustCompile("`([\\w./]+\\.(?:go|md))`")

// invented are the files of the examples.
var invented = []string{"zulip.go", "dice.go", "dice.md"}

func TestPapersNameFiles(t *testing.T) {
	all := files(t)
	for _, paper := range []string{"CONTRIBUTING.md", "ARCHITECTURE.md"} {
		for _, m := range namedFile.FindAllSubmatch(read(t, paper), -1) {
			name := string(m[1])
			there := func(f string) bool { return f == name || strings.HasSuffix(f, "/"+name) }
			if !slices.ContainsFunc(all, there) && !slices.Contains(invented, path.Base(name)) {
				t.Errorf("%s names %s, which is not there", paper, name)
			}
		}
	}
}

var required = regexp.MustCompile(`(?m)^\t(\S+) v\S+$`) // without "// indirect"

func TestArchitectureIsComplete(t *testing.T) {
	text := string(read(t, "ARCHITECTURE.md"))
	for _, m := range required.FindAllStringSubmatch(string(read(t, "go.mod")), -1) {
		if !strings.Contains(text, "`"+m[1]+"`") {
			t.Errorf("ARCHITECTURE.md gives no reason for %s", m[1])
		}
	}
	for _, d := range doors {
		if !strings.Contains(text, "| `"+d.name+"` |") {
			t.Errorf("ARCHITECTURE.md does not name the door %s", d.name)
		}
	}
}
