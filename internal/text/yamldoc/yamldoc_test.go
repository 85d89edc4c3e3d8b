package yamldoc

import (
	"errors"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/ast"
)

func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		line int // 0 for no error
		is   error
	}{
		"empty":        {in: ""},
		"a comment":    {in: "# nothing\n"},
		"mapping":      {in: "a: 1\nb: [2, 3]\n"},
		"syntax":       {in: "a: 1\nb: \"2\n", line: 2},
		"duplicate":    {in: "a: 1\na: 2\n", line: 2},
		"documents":    {in: "a: 1\n---\nb: 2\n", line: 3, is: ErrSeveral},
		"brackets":     {in: "a: 1\nb: " + strings.Repeat("[", 100_000), line: 2, is: ErrTooDeep},
		"list marks":   {in: "a:\n" + strings.Repeat("- ", 10_000) + "x", line: 2, is: ErrTooDeep},
		"enough":       {in: strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth)},
		"one too much": {in: strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1), line: 1, is: ErrTooDeep},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(c.in)
			var e *Error
			switch {
			case c.line == 0:
				if err != nil {
					t.Fatal(err)
				}
			case !errors.As(err, &e) || e.Line != c.line || e.Column == 0 || e.Problem == "":
				t.Fatalf("got %#v, want line %d", err, c.line)
			case c.is != nil && !errors.Is(err, c.is) || c.is == nil && e.Err != nil:
				t.Fatalf("got %v, want %v", err, c.is)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a: 1", "- a\n- {b: c}", "&a [*a]", "? x\n: y", "a: |\n  b\n", "!!set {}", "%YAML 1.2\n---\n",
		"\"", "{[", "---\n---\nb"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		root, err := Parse(s)
		var e *Error
		if err != nil && (root != nil || !errors.As(err, &e)) {
			t.Fatalf("%v with %v", err, root)
		}
	})
}

func TestScalar(t *testing.T) {
	root, err := Parse("text: a b\nquoted: \"a: b\"\nblock: |\n  x\n  y\nnumber: 0x10\nyes: true\nnone:\nlist: [1]\nanchor: &a 1\nalias: *a\n")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"text": "a b", "quoted": "a: b", "block": "x\ny\n", "number": "0x10", "yes": "true"}
	for _, pair := range root.(*ast.MappingNode).Values {
		key := pair.Key.GetToken().Value
		expected, scalar := want[key]
		if got, ok := Scalar(pair.Value); ok != scalar || got != expected {
			t.Errorf("%s: %q %v, want %q %v", key, got, ok, expected, scalar)
		}
	}
}

func TestExcerpt(t *testing.T) {
	lines := strings.Split("one\ntwo\r\nthree\nfour", "\n")
	if got, want := Excerpt(lines, 2, 3, strings.ToUpper), "     1 | ONE\n>    2 | TWO\n       |   ^\n     3 | THREE\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := Excerpt(lines, 4, 0, strings.ToUpper), "     3 | THREE\n>    4 | FOUR\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
