package index

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/notes/code"
)

// readCode parses code by its own means.
func readCode(name, data string) indexed { return parseCode(name, data, code.List(name, data)) }

func TestCodeSectionsBeginWithTheirComment(t *testing.T) {
	d := readCode("a.go", "package a\n\nimport \"os\"\n\n// Do does\n// it.\nfunc Do() {\n}\n\ntype T int\n")
	var got []string
	for _, s := range d.sections {
		first, _, _ := strings.Cut(s.text, "\n")
		got = append(got, fmt.Sprintf("%s %d %s", s.heading, s.line, first))
	}
	if diff := cmp.Diff([]string{" 1 package a", "Do 5 // Do does", "T 10 type T int"}, got); diff != "" {
		t.Error(diff)
	}
	d = readCode("a.css", strings.Repeat("x {}\n", 150))
	if len(d.sections) != 3 || d.sections[1].line != 61 {
		t.Errorf("without definitions: %d sections, the second at line %d", len(d.sections), d.sections[1].line)
	}
}

func TestDeepCodeIsNotParsedInDepth(t *testing.T) {
	for _, deep := range []string{strings.Repeat("(", 500_000), strings.Repeat("*", 500_000), strings.Repeat("func(", 100_000),
		strings.Repeat("[]", 400_000)} {
		readCode("a.go", "package a\nfunc Good() {}\nvar x "+deep)
	}
}
