package vault

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSymbols(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.go", "package a\n\n// T is.\ntype T struct{}\n\nfunc (t *T) Do() {}\nfunc New[A any]() *T { return nil }\n\nconst (\n\tX = 1\n\tY\n)\n", "T@4 T.Do@6 New@7 X@10 Y@11"},
		{"a.go", "package a\nfunc Good() {}\nfunc broken( {\n", "Good@2 broken@3"},
		{"a.py", "import os\n\nclass Cat:\n    def purr(self):\n        pass\n\nasync def main():\n    pass\n", "Cat@3 Cat.purr@4 main@7"},
		{"a.ts", "export interface Shape {}\nexport default async function draw() {}\nexport const area = (s: Shape) => 1\ntype Id = string\n", "Shape@1 draw@2 area@3 Id@4"},
		{"a.rs", "pub struct P;\nimpl<T> Show for P {\n    pub fn show(&self) {}\n}\npub(crate) enum E {}\n", "P@1 P.show@3 E@5"},
		{"a.java", "public final class Main {\n}\n", "Main@1"},
		{"a.css", "a { color: red }\n", ""},
	} {
		var got []string
		for _, s := range parseCode(c.name, c.text).symbols {
			name := s.name
			if s.owner != "" {
				name = s.owner + "." + name
			}
			got = append(got, fmt.Sprintf("%s@%d", name, s.line))
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestCodeSectionsBeginWithTheirComment(t *testing.T) {
	d := parseCode("a.go", "package a\n\nimport \"os\"\n\n// Do does\n// it.\nfunc Do() {\n}\n\ntype T int\n")
	var got []string
	for _, s := range d.sections {
		first, _, _ := strings.Cut(s.text, "\n")
		got = append(got, fmt.Sprintf("%s %d %s", s.heading, s.line, first))
	}
	if diff := cmp.Diff([]string{" 1 package a", "Do 5 // Do does", "T 10 type T int"}, got); diff != "" {
		t.Error(diff)
	}
	d = parseCode("a.css", strings.Repeat("x {}\n", 150))
	if len(d.sections) != 3 || d.sections[1].line != 61 {
		t.Errorf("without definitions: %d sections, the second at line %d", len(d.sections), d.sections[1].line)
	}
}

func TestDeepCodeIsNotParsedInDepth(t *testing.T) {
	for _, deep := range []string{strings.Repeat("(", 500_000), strings.Repeat("*", 500_000), strings.Repeat("func(", 100_000), strings.Repeat("[]", 400_000)} {
		parseCode("a.go", "package a\nfunc Good() {}\nvar x "+deep)
	}
}

func TestWordsOfNames(t *testing.T) {
	for name, want := range map[string]string{"getUserName": "get User Name", "HTTPServer": "HTTP Server", "snake_case": "snake_case", "v2Parser": "v2 Parser"} {
		if got := words(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
