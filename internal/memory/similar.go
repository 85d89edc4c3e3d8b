package memory

import "strings"

// sameFact is the overlap above which two facts say the same thing, one of
// them corrected (requirements C2).
const sameFact = 0.70

// stems is the set of a text's telling words, without their endings.
func stems(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range allTerms(text, len(text)) {
		set[stem(w)] = true
	}
	return set
}

// dice is how much two sets have in common: 2·|a∩b| / (|a|+|b|), from 0 to 1.
func dice(a, b map[string]bool) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	common := 0
	for w := range a {
		if b[w] {
			common++
		}
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}

// Contributes says that an answer has telling words of a fact that the question
// did not have.
func Contributes(fact, answer, question string) bool {
	said, asked := stems(answer), stems(question)
	for w := range stems(fact) {
		if said[w] && !asked[w] {
			return true
		}
	}
	return false
}

// trigrams are the three-letter pieces of a word with its ends marked, for
// words that differ by a slip.
func trigrams(word string) map[string]bool {
	r := []rune(" " + word + " ")
	set := map[string]bool{}
	for i := 0; i+3 <= len(r); i++ {
		set[string(r[i:i+3])] = true
	}
	return set
}

// matchAny is the full-text query for any of some words, each quoted so that
// none is an operator.
func matchAny(words []string) string {
	return `"` + strings.Join(words, `" OR "`) + `"`
}
