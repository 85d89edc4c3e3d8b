package ranking

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/text"
)

// maxTerms is how many words of a question count. A question may follow a long
// introduction; its rarest words decide.
const maxTerms = 512

// maxWord is how many bytes a word has at most, to be one.
const maxWord = 64

// stopWords carry no meaning in a question.
var stopWords = setOf("a about after an and any are as at be been before being by can could d did didn do does doesn " +
	"don during ever for from had has have having he her him his how i if in into is it its kind ll many me much my of " +
	"on or our re s she should so some sort t than that the their them then there these they this those to type us ve " +
	"was we were what when where which while who whom whose why will with would you your")

// Terms lists the words of a question without stop words: letters and digits only, so that
// no query syntax can pass, each once, at most maxTerms.
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

// tellingWords yields the words of a text without stop words, as often as they occur.
func tellingWords(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for w := range words(s) {
			if len(w) <= maxWord && !stopWords[w] && !yield(w) {
				return
			}
		}
	}
}

// words yields the words of a text as text.Lower has them, as often as they occur. In scripts
// without spaces, and Korean, they are pairs of adjacent letters, or a single letter.
func words(s string) iter.Seq[string] { return spelled(text.Lower(s)) }

// spelled is words of a text in lower case, as it spells them.
func spelled(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if isASCII(s) {
			eachPlain(s, yield)
			return
		}
		for run := range strings.FieldsFuncSeq(strings.ToValidUTF8(s, " "), notWord) {
			if !eachWord(run, yield) {
				return
			}
		}
	}
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// eachPlain yields the words of a text of ASCII in lower case, as most are: several times as
// fast.
func eachPlain(s string, yield func(string) bool) {
	from := -1
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			if from < 0 {
				from = i
			}
		case from >= 0:
			if !yield(s[from:i]) {
				return
			}
			from = -1
		}
	}
	if from >= 0 {
		yield(s[from:])
	}
}

// eachWord yields the words of a run of letters and digits, and reports whether more are
// wanted.
func eachWord(run string, yield func(string) bool) bool {
	for run != "" {
		first, n := utf8.DecodeRuneInString(run)
		if !text.Pieced(first) {
			if n = strings.IndexFunc(run, text.Pieced); n < 0 {
				n = len(run)
			}
			if !yield(run[:n]) {
				return false
			}
			run = run[n:]
			continue
		}
		letters := run
		if end := strings.IndexFunc(run, func(r rune) bool { return !text.Pieced(r) }); end >= 0 {
			letters = run[:end]
		}
		run = run[len(letters):]
		if len(letters) == n && !yield(letters) {
			return false
		}
		for len(letters) > n {
			_, m := utf8.DecodeRuneInString(letters[n:])
			if !yield(letters[:n+m]) {
				return false
			}
			letters, n = letters[n:], m
		}
	}
	return true
}

func notWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(text.Lower(words)) {
		set[w] = true
	}
	return set
}
