package playbook

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley/internal/text"
	"parley/internal/yamldoc"
)

// Mistake is one thing wrong with a playbook file.
type Mistake struct {
	File    string // as it was opened
	Line    int    // 1-based
	Where   string // guidelines[3].tools[0]
	Text    string // what is wrong and, where one is near, the name that was meant
	Excerpt string // the line with its neighbours
}

// Mistakes is the error of Load: everything found, in file order.
type Mistakes []Mistake

// maxShown bounds the length of the error, not of the list.
const maxShown = 20

// Error lists the mistakes, each with file, line and excerpt.
func (ms Mistakes) Error() string {
	var b strings.Builder
	for i, m := range ms {
		if i == maxShown {
			fmt.Fprintf(&b, "and %d more\n", len(ms)-i)
			break
		}
		fmt.Fprintf(&b, "%s:%d: ", m.File, m.Line)
		if m.Where != "" {
			b.WriteString(m.Where + ": ")
		}
		b.WriteString(m.Text + "\n" + m.Excerpt)
	}
	return strings.TrimRight(b.String(), "\n")
}

// source is a file while it is being loaded.
type source struct {
	name  string
	text  []string       // its lines
	lines map[string]int // where -> line
	found *Mistakes
}

// place is the position of a definition, for the checks between definitions.
type place struct {
	src  *source
	path string
}

func (p place) mistake(field, format string, args ...any) {
	p.src.mistake(join(p.path, field), format, args...)
}

func (s *source) mistake(path, format string, args ...any) {
	line := s.lines[path]
	for at := path; line == 0 && at != ""; line = s.lines[at] { // the nearest enclosing thing that has a line
		at = at[:max(0, strings.LastIndexAny(at, ".["))]
	}
	line = max(line, 1)
	*s.found = append(*s.found, Mistake{File: s.name, Line: line, Where: path, Text: fmt.Sprintf(format, args...), Excerpt: s.excerpt(line)})
}

func (s *source) excerpt(line int) string {
	return yamldoc.Excerpt(s.text, line, 0, func(line string) string { return text.Clip(line, 160) })
}

func (ms Mistakes) sort() {
	slices.SortStableFunc(ms, func(a, b Mistake) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
}

// suggest returns `; did you mean "x"?`, or "" when no name is close.
func suggest(got string, names []string) string {
	if n := text.Nearest(got, names); n != "" {
		return fmt.Sprintf("; did you mean %q?", n)
	}
	return ""
}

func oneOf(s string, list []string) bool { return slices.Contains(list, s) }
