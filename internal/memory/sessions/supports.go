package sessions

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/text/ranking"
)

// enough is the share of a line's telling words that must have been said.
const enough = 0.5

// Supports reports whether somebody who said all of a text can have said what a line has in
// other words: its numbers, dates and names stand in the text, and most of its telling words.
// A summarizer that makes things up, or understood nothing, writes lines that fail it.
func Supports(said, line string) bool {
	have := map[string]bool{}
	for _, w := range ranking.TermsUpTo(said, maxSupport) {
		have[ranking.Stem(w)] = true
	}
	missing := func(w string) bool { return !have[ranking.Stem(w)] }
	all, n := 0, 0
	for _, w := range ranking.Terms(line) {
		switch {
		case cues()[w] == "decides": // the summarizer's own word
			continue
		case !missing(w):
			n++
		case strings.ContainsFunc(w, unicode.IsDigit):
			return false
		}
		all++
	}
	if n == 0 || float64(n) < enough*float64(all) {
		return false
	}
	for i, word := range strings.Fields(line) {
		first, _ := utf8.DecodeRuneInString(strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }))
		if !unicode.IsUpper(first) {
			continue
		}
		for _, w := range ranking.Terms(word) { // the first word may be large for its place alone
			if cue := cues()[w]; cue != "decides" && (cue == "" || i > 0) && missing(w) {
				return false
			}
		}
	}
	return true
}

// maxSupport limits the telling words of a text that lines are held against.
const maxSupport = 50_000
