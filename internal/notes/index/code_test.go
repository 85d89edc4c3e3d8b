package index

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/notes/code"
)

// program is code in several languages, with definitions and their uses.
var program = map[string]string{
	"a.go":      "package a\n\n// Serve serves; see Serve.\nfunc Serve() { listen(\"Serve\") }\n\nfunc main() {\n\tServe()\n}\n",
	"b_test.go": "package a\n\nvar _ = Serve\n",
	"c.c":       "/* Serve */\nint get_user(int id) { return id; }\nint main(void) {\n  return get_user(1) + forget_user(2);\n}\n",
	"D.java":    "class D {\n  int total;\n  int sum() { return total; }\n}\n",
	"e.ts":      "export class Cart {\n  total(): number { return 1 }\n}\nconst c = new Cart().total()\n",
	"f.rs":      "pub struct Ring;\nimpl Ring {\n    pub fn turn(&self) {}\n}\nfn go(r: &Ring) { r.turn() }\n",
	"notes.md":  "# Serve\n\nServe it.\n",
}

func newProgram(t *testing.T, tags *code.Tags) *folder {
	t.Helper()
	f := newFolder(t)
	for name, text := range program {
		putFile(t, filepath.Join(f.code, name), text)
	}
	must(t, f.Close())
	f.opts.Tags = tags
	f.open()
	f.refresh()
	return f
}

func (f *folder) places(hits []Hit, err error) string {
	f.t.Helper()
	must(f.t, err)
	var all []string
	for _, h := range hits {
		all = append(all, fmt.Sprintf("%s:%d", h.Path, h.Line))
	}
	return strings.Join(all, " ")
}

func TestDefinitionsAndReferences(t *testing.T) {
	for by, tags := range map[string]*code.Tags{"own": nil, "ctags": code.FindTags(t.Context(), "")} {
		if by == "ctags" && tags == nil {
			continue // not installed
		}
		f := newProgram(t, tags)
		for name, want := range map[string][2]string{
			"Serve":         {"a.go:4", "a.go:7 b_test.go:3"},
			"get_user":      {"c.c:2", "c.c:4"},
			"forget_user":   {"", "c.c:4"},
			"Cart.total":    {"e.ts:2", "D.java:3 e.ts:4"},
			"D.total":       {"D.java:2", "D.java:3 e.ts:4"},
			"Ring::turn()":  {"f.rs:3", "f.rs:5"},
			"(*Ring).turn":  {"f.rs:3", "f.rs:5"},
			"no such thing": {"", ""},
			"\"":            {"", ""},
		} {
			if got := f.places(f.Definition(t.Context(), name)); got != want[0] {
				t.Errorf("%s: %s is defined at %q, not %q", by, name, got, want[0])
			}
			hits, total, err := f.References(t.Context(), name, 10)
			if got := f.places(hits, err); got != want[1] || total != len(hits) {
				t.Errorf("%s: %s is used at %q (%d), not %q", by, name, got, total, want[1])
			}
		}
		hits, total, err := f.References(t.Context(), "Serve", 1)
		if err != nil || len(hits) != 1 || total != 2 || hits[0].Heading != "main" || hits[0].Text != "Serve()" {
			t.Errorf("%s: %+v %d %v", by, hits, total, err)
		}
	}
}

// Code is parsed again only if another program parses it.
func TestAnotherReader(t *testing.T) {
	f := newProgram(t, nil)
	commits := f.changes.Load()
	f.reopen()
	f.refresh()
	if f.changes.Load() != 0 || commits == 0 {
		t.Error("read again without a reason")
	}
	if f.opts.Tags = code.FindTags(t.Context(), ""); f.opts.Tags == nil {
		t.Skip("universal-ctags is not installed")
	}
	f.reopen()
	f.refresh()
	if f.changes.Load() == 0 {
		t.Error("not read again")
	}
}

// readCode parses code without ctags.
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
