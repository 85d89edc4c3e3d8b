package text

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

// Composed returns s with each letter and its accents as one character where there is one (NFC).
// macOS and some keyboards write them apart. It keeps lines as they are.
func Composed(s string) string { return norm.NFC.String(s) }

// Fold returns the form in which names are compared: composed, in lower case, with wide and
// half-wide letters as usual ones. Invalid bytes stay.
func Fold(s string) string {
	if plainASCII(s) {
		return strings.ToLower(s)
	}
	return norm.NFC.String(strings.ToLower(width.Fold.String(s)))
}

// Lower returns the form in which words are compared: in small letters, with ss for ß, as
// capitals and people in Switzerland write it.
func Lower(s string) string { return strings.ReplaceAll(strings.ToLower(s), "ß", "ss") }

// maxSharp is how many times ss in a word may stand for ß.
const maxSharp = 3

// Spellings returns what Lower makes of a word, and the other words of which it would make
// that: what is stored has ß or ss as somebody wrote it.
func Spellings(word string) []string {
	pieces := strings.SplitN(Lower(word), "ss", maxSharp+1)
	all := pieces[:1:1]
	for _, piece := range pieces[1:] {
		plain := len(all)
		for i := range plain {
			all = append(all, all[i]+"ß"+piece)
			all[i] += "ss" + piece
		}
	}
	return all
}

func plainASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
