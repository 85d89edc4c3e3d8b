package facts

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
)

// sieve is an expression that is compiled once a text comes that it could match, and not
// looked at for others. A hundred compiled expressions hold a megabyte, of which the talk of
// a day needs next to nothing.
type sieve struct {
	needs []clause // each text that it matches has a piece of each
	expr  func() *regexp.Regexp
}

// clause is pieces of text, any of which will do.
type clause []string

// newSieve panics for what is no expression, as regexp.MustCompile does.
func newSieve(expr string) sieve {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		panic(err)
	}
	return sieve{needed(parsed), sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
}

// match reports whether the expression matches.
func (s sieve) match(said string) bool {
	for _, c := range s.needs {
		if !slices.ContainsFunc(c, func(piece string) bool { return strings.Contains(said, piece) }) {
			return false
		}
	}
	return s.expr().MatchString(said)
}

// needed returns what each text has that the expression matches; none if that is not known.
func needed(e *syntax.Regexp) (all []clause) {
	switch e.Op {
	case syntax.OpLiteral:
		if e.Flags&syntax.FoldCase == 0 {
			return []clause{{string(e.Rune)}}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return needed(e.Sub[0])
	case syntax.OpRepeat:
		if e.Min > 0 {
			return needed(e.Sub[0])
		}
	case syntax.OpConcat:
		for _, sub := range e.Sub {
			all = append(all, needed(sub)...)
		}
	case syntax.OpAlternate: // the most telling of each
		var either clause
		for _, sub := range e.Sub {
			clauses := needed(sub)
			if len(clauses) == 0 {
				return nil
			}
			either = append(either, slices.MaxFunc(clauses, func(a, b clause) int { return a.least() - b.least() })...)
		}
		return []clause{either}
	}
	return all
}

// least is how many bytes the shortest piece has.
func (c clause) least() int {
	return len(slices.MinFunc(c, func(a, b string) int { return len(a) - len(b) }))
}
