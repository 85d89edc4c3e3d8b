package condition

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// HasWords reports whether a text has the words in one stretch, and no more letters on
// either side: "sing" is not in "using". Scripts that put no space between words have no
// such sides. Both are lower case.
func HasWords(s, words string) bool {
	first, _ := utf8.DecodeRuneInString(words)
	last, _ := utf8.DecodeLastRuneInString(words)
	for from := 0; ; {
		i := strings.Index(s[from:], words)
		if i < 0 {
			return false
		}
		at := from + i
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		after, _ := utf8.DecodeRuneInString(s[at+len(words):])
		if !(inWord(before) && inWord(first)) && !(inWord(last) && inWord(after)) {
			return true
		}
		_, size := utf8.DecodeRuneInString(s[at:])
		from = at + size
	}
}

// unspaced are the scripts that write words without spaces between them.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
	unicode.Khmer, unicode.Myanmar}

func inWord(r rune) bool {
	if r == utf8.RuneError || unicode.In(r, unspaced...) {
		return false
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || r == '_'
}
