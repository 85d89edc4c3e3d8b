package times

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word, a number, a character of Chinese, or a mark.
type token struct {
	text     string // in small letters without accents
	from, to int    // its place in the text, in bytes
	num      int    // of digits, -1 for anything else
	open     bool   // a space stands before it
	upper    bool   // in capital letters
	small    bool   // begins with a small letter
}

// tokens splits a text; one that is longer than most tokens is cut there.
func tokens(text string, most int) (all []token) {
	open := true
	for i := 0; i < len(text) && len(all) < most; {
		r, size := utf8.DecodeRuneInString(text[i:])
		to := i + size
		switch {
		case unicode.IsSpace(r):
			open, i = true, to
			continue
		case unicode.IsDigit(r):
			to = i + run(text[i:], unicode.IsDigit)
		case inWord(r):
			to = i + run(text[i:], inWord)
		}
		t := token{text: folded(text[i:to]), from: i, to: to, num: -1, open: open, upper: strings.ToUpper(text[i:to]) == text[i:to],
			small: unicode.IsLower(r)}
		if n, err := strconv.Atoi(t.text); err == nil && len(t.text) < 7 {
			t.num = n
		}
		all = append(all, t)
		open, i = false, to
	}
	return all
}

// run returns how many bytes at the start of a text are runes of a kind.
func run(text string, of func(rune) bool) int {
	for i, r := range text {
		if !of(r) {
			return i
		}
	}
	return len(text)
}

// inWord reports whether a letter is of a script with spaces between words.
func inWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsMark(r)) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// plain replaces accented letters, which people often type without their accents, and wide
// marks.
var plain = strings.NewReplacer("à", "a", "á", "a", "â", "a", "ä", "a", "ã", "a", "å", "a", "ç", "c", "è", "e", "é",
	"e", "ê", "e", "ë", "e",
	"ì", "i", "í", "i", "î", "i", "ï", "i", "ñ", "n", "ò", "o", "ó", "o", "ô", "o", "ö", "o", "ù", "u", "ú", "u", "û",
	"u", "ü", "u", "œ", "oe", "ß", "ss", "ё", "е",
	"：", ":", "，", ",", "。", ".", "、", ",", "’", "'", "０", "0", "１", "1", "２", "2", "３", "3", "４", "4", "５", "5", "６",
	"6", "７", "7", "８", "8", "９", "9")

func folded(word string) string { return plain.Replace(strings.ToLower(word)) }
