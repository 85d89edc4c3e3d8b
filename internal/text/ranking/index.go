package ranking

import (
	"fmt"
	"strconv"
	"strings"

	"parley/internal/text"
)

// scopeMark separates a place from a word in the index. It occurs in no word.
const scopeMark = "·"

// Indexed returns the index terms of a text from the n-th place, separated by spaces: the
// stem of each word, alone and with the place. Removing a text from the index needs the
// same terms, so any change here needs a migration that rebuilds the index.
func Indexed(n int64, said string) string {
	var alone, scoped strings.Builder
	place := strconv.FormatInt(n, 36) + scopeMark
	seen := map[string]bool{}
	stems := stemmersOf(said, 0) // a short text has few small words
	for w := range indexWords(said) {
		for _, stem := range stems {
			if s := stem(w); !seen[s] {
				seen[s] = true
				_, _ = fmt.Fprintf(&alone, "%s ", s)
				_, _ = fmt.Fprintf(&scoped, "%s%s ", place, s)
			}
		}
	}
	return alone.String() + scoped.String()
}

// indexWords yields the words of a text as it spells them, and the single letters of scripts without spaces.
func indexWords(said string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for w := range spelled(strings.ToLower(said)) {
			if len(w) <= maxWord && !yield(w) {
				return
			}
		}
		for w := range strings.FieldsSeq(text.Pieces(said)) {
			if !yield(w) {
				return
			}
		}
	}
}

// Asked finds the index terms for the words of a question.
type Asked struct{ stems []func(string) string }

// Asking reads the language of a question.
func Asking(question string) Asked {
	return Asked{stems: append(stemmersOf(question, 1)[:1:1], stemmerOf(question))}
}

// Stems returns the different index terms of some words, however they are spelled.
func (a Asked) Stems(words ...string) (stems []string) {
	seen := map[string]bool{}
	for _, word := range words {
		for _, w := range text.Spellings(word) {
			for _, stem := range a.stems {
				if s := stem(w); !seen[s] {
					seen[s], stems = true, append(stems, s)
				}
			}
		}
	}
	return stems
}

// Match is the expression of the index for messages with one of some words, wherever they
// were said.
func (a Asked) Match(words ...string) string { return Match(nil, a.Stems(words...)...) }

// Match is the expression of the index for messages with one of some index terms that were
// said in one of some places; no places are all.
func Match(places []int64, stems ...string) string {
	var b strings.Builder
	for _, term := range Scoped(places, stems...) {
		if b.Len() > 0 {
			b.WriteString(" OR ")
		}
		b.WriteString(`"` + term + `"`)
	}
	return b.String()
}

// Scoped are the index terms for some of these in each of some places; no places are all.
func Scoped(places []int64, stems ...string) (terms []string) {
	for _, stem := range stems {
		if len(places) == 0 {
			terms = append(terms, stem)
		}
		for _, n := range places {
			terms = append(terms, strconv.FormatInt(n, 36)+scopeMark+stem)
		}
	}
	return terms
}
