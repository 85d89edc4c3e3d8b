package value

import (
	"fmt"
	"regexp"
	"regexp/syntax"
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
