package text

import (
	"iter"
	"strings"
	"unicode"
)

// InWord reports whether r is part of a word: a letter or a digit.
func InWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// Words yields the words of s in lower case, as often as they occur. Anything
// but letters and digits separates them, so no query syntax can pass.
func Words(s string) iter.Seq[string] {
	return strings.FieldsFuncSeq(strings.ToLower(strings.ToValidUTF8(s, " ")), func(r rune) bool { return !InWord(r) })
}

// Terms lists the words of s for which skip is false: each once, in the order
// of s, at most limit of them.
func Terms(s string, limit int, skip func(word string) bool) (list []string) {
	seen := map[string]bool{}
	for w := range Words(s) {
		if len(list) == limit {
			break
		}
		if !seen[w] && !skip(w) {
			seen[w], list = true, append(list, w)
		}
	}
	return list
}

// Pieces returns the letters of s that a word index cannot split into words, separated by
// spaces: those of scripts without spaces, and of Korean, whose words carry endings.
func Pieces(s string) string {
	var b strings.Builder
	for _, r := range s {
		if Pieced(r) {
			b.WriteRune(r)
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// Pieced reports whether r is one of the letters of Pieces.
func Pieced(r rune) bool { return Unspaced(r) || unicode.Is(unicode.Hangul, r) }

// Unspaced reports whether r belongs to a script that writes words without spaces.
func Unspaced(r rune) bool {
	return r > 0xE00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar)
}
