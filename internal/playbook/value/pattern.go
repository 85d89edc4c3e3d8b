package value

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// Caps on patterns: RE2 is linear in the text, these keep its factor small.
const (
	maxPattern = 500  // characters
	maxProgram = 5000 // instructions
)

// Compile compiles a pattern within bounds that keep it fast on any text.
func Compile(p string) (*regexp.Regexp, error) {
	if len(p) > maxPattern {
		return nil, fmt.Errorf("pattern longer than %d characters", maxPattern)
	}
	parsed, err := syntax.Parse(p, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	if len(prog.Inst) > maxProgram {
		return nil, fmt.Errorf("pattern too large: it unfolds to %d instructions, at most %d are taken", len(prog.Inst), maxProgram)
	}
	return regexp.Compile(p)
}

// Filter lists what a text must contain for a pattern to match: at least one piece
// of each group, in lower case. Most messages contain no word of most patterns, and
// searching for words is a hundred times faster than matching.
type Filter [][]string

// maxGroup bounds the alternatives worth looking for.
const maxGroup = 30

// NewFilter makes the filter of a pattern; nil admits every text.
func NewFilter(re *regexp.Regexp) Filter {
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return nil
	}
	return needed(tree)
}

func needed(re *syntax.Regexp) Filter {
	switch re.Op {
	case syntax.OpLiteral:
		text := string(re.Rune)
		// Folding joins more than lower case does beyond ASCII, and for k and s.
		if re.Flags&syntax.FoldCase != 0 && (strings.ContainsAny(text, "kKsS") || utf8.RuneCountInString(text) != len(text)) {
			return neededPieces(text)
		}
		return Filter{{strings.ToLower(text)}}
	case syntax.OpCapture, syntax.OpPlus:
		return needed(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needed(re.Sub[0])
		}
	case syntax.OpConcat:
		var all Filter
		for _, sub := range re.Sub {
			all = append(all, needed(sub)...)
		}
		return all
	case syntax.OpAlternate:
		var group []string
		for _, sub := range re.Sub {
			f := needed(sub)
			if len(f) == 0 {
				return nil
			}
			group = append(group, slices.MaxFunc(f, func(a, b []string) int { return shortest(a) - shortest(b) })...)
		}
		if len(group) <= maxGroup {
			return Filter{group}
		}
	}
	return nil
}

// neededPieces returns the stretches of a case-folded literal that lower case
// settles.
func neededPieces(text string) (f Filter) {
	for piece := range strings.FieldsFuncSeq(text, func(r rune) bool { return r >= utf8.RuneSelf || strings.ContainsRune("kKsS", r) }) {
		f = append(f, []string{strings.ToLower(piece)})
	}
	return f
}

// shortest returns the length of a group's shortest word.
func shortest(group []string) int {
	n := len(group[0])
	for _, w := range group {
		n = min(n, len(w))
	}
	return n
}

// Admits reports whether a text, in lower case, may match.
func (f Filter) Admits(lower string) bool {
	for _, group := range f {
		if !slices.ContainsFunc(group, func(w string) bool { return strings.Contains(lower, w) }) {
			return false
		}
	}
	return true
}
