package offline

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// needs returns words of which each text that a pattern fits has one, in small letters; nil
// if it can do without any. Most phrases need not be tried at all, as looking for a word is
// a thousand times faster than a pattern.
func needs(pattern string) []string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	all := needed(re.Simplify())
	slices.Sort(all)
	return slices.Compact(all)
}

// mostNeeded is how many words are looked for before a pattern is tried.
const mostNeeded = 200

func needed(re *syntax.Regexp) (best []string) {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{fold(string(re.Rune))}
	case syntax.OpCapture, syntax.OpPlus:
		return needed(re.Sub[0])
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			one := needed(sub)
			if one == nil || len(best)+len(one) > mostNeeded {
				return nil
			}
			best = append(best, one...)
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if one := needed(sub); one != nil && (best == nil || shortest(one) > shortest(best)) {
				best = one
			}
		}
	}
	return best
}

// shortest is the length of the shortest word, in runes; Chinese ones count double, as they say
// as much.
func shortest(words []string) int {
	n := 1 << 30
	for _, w := range words {
		n = min(n, utf8.RuneCountInString(w)*(1+len(w)/utf8.RuneCountInString(w)/3))
	}
	return n
}

// may reports whether a phrase could fit a folded sentence.
func (p phrase) may(folded string) bool {
	words := p.needs()
	return words == nil || slices.ContainsFunc(words, func(w string) bool { return strings.Contains(folded, w) })
}
