// Package sheet reads YAML that owners write into structs, and says what is wrong with
// it, with file and line. The tags of the structs are its only knowledge of what is
// read.
package sheet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley/internal/text"
	"parley/internal/text/yamldoc"
)

// Mistake is one thing wrong with a playbook file.
type Mistake struct {
	File    string // as it was opened
	Line    int    // 1-based
	Where   string // guidelines[3].tools[0]
	Text    string // what is wrong and, where one is near, the name that was meant
	Excerpt string // the line with its neighbours
}

// Mistakes is everything found in the files, in their order; an error.
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

// Source is a file while it is being loaded.
type Source struct {
	Name  string
	lines map[string]int // where -> line
	text  []string       // its lines
	found *Mistakes
}

// NewSource begins a file; mistakes are added to found.
func NewSource(name, text string, found *Mistakes) *Source {
	return &Source{Name: name, text: strings.Split(text, "\n"), lines: map[string]int{}, found: found}
}

// Broken notes that the file could not be read from a line on.
func (s *Source) Broken(line int, err error) {
	s.lines[""] = line
	s.Mistake("", "not YAML: %v", err)
}

// Place is the position of a definition, for the checks between definitions.
type Place struct {
	Src  *Source
	Path string
}

// Line is where it is in its file, from 1.
func (p Place) Line() int { return p.Src.lines[p.Path] }

// Mistake notes what is wrong with a field of it, "" for the whole.
func (p Place) Mistake(field, format string, args ...any) {
	p.Src.Mistake(join(p.Path, field), format, args...)
}

// Mistake notes what is wrong at a path such as guidelines[3].tools[0].
func (s *Source) Mistake(path, format string, args ...any) {
	line := s.lines[path]
	for at := path; line == 0 && at != ""; line = s.lines[at] { // the nearest enclosing thing that has a line
		at = at[:max(0, strings.LastIndexAny(at, ".["))]
	}
	line = max(line, 1)
	*s.found = append(*s.found, Mistake{File: s.Name, Line: line, Where: path, Text: fmt.Sprintf(format, args...),
		Excerpt: yamldoc.Excerpt(s.text, line, 0, func(line string) string { return text.Clip(line, 160) })})
}

// Sort orders them by file and line.
func (ms Mistakes) Sort() {
	slices.SortStableFunc(ms, func(a, b Mistake) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
}

// Suggest returns `; did you mean "x"?`, or "" when no name is close.
func Suggest(got string, names []string) string {
	if n := text.Nearest(got, names); n != "" {
		return fmt.Sprintf("; did you mean %q?", n)
	}
	return ""
}
