package recall

import (
	"iter"
	"strings"
	"unicode"
)

// maxTerms is how many words of a question count.
const maxTerms = 64

// stopWords carry no meaning in a question.
var stopWords = setOf("a about after an and any are as at be been before being by can could d did didn do does doesn don during ever for from had has have having he her him his how i if in into is it its kind ll many me much my of on or our re s she should so some sort t than that the their them then there these they this those to type us ve was we were what when where which while who whom whose why will with would you your")

// Terms lists the telling words of a question: letters and digits only, so that
// no query syntax can pass, each once and not too many.
func Terms(question string) []string { return TermsUpTo(question, maxTerms) }

// TermsUpTo is Terms with another limit.
func TermsUpTo(question string, limit int) []string {
	var out []string
	seen := map[string]bool{}
	for w := range tellingWords(question) {
		if len(out) == limit {
			break
		}
		if !seen[w] {
			seen[w], out = true, append(out, w)
		}
	}
	return out
}

// tellingWords are those of a text, as often as they occur.
func tellingWords(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for w := range strings.FieldsFuncSeq(strings.ToLower(strings.ToValidUTF8(s, " ")), notWord) {
			if len(w) <= 64 && !stopWords[w] && !yield(w) {
				return
			}
		}
	}
}

func notWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}
