package ranking

import (
	"strings"
	"unicode/utf8"
)

// What a word of a question is worth, against one of the sentence that asks.
const (
	aside = 0.4  // stands only in sentences that do not ask: an introduction
	small = 0.25 // for each small letter in a pair of Chinese letters
)

// smallLetters are Chinese ones that are, or are part of, words without a subject of their
// own: particles, pronouns, question words and what leads to a question.
var smallLetters = "的了吗呢吧啊哦呀哎是我你他她它们这那个什么哪怎多少几来着在和与也就都还叫另外其实想问以及对于有没会要请样些最"

// SmallLetters counts the letters of a pair of Chinese ones that are no words with a subject.
func SmallLetters(pair string) (n int) {
	for _, r := range pair {
		if strings.ContainsRune(smallLetters, r) {
			n++
		}
	}
	return n
}

// worths returns what the words of a question are worth.
func worths(text string, words []string) []float64 {
	worth, direct := make([]float64, len(words)), directWords(text)
	for i, w := range words {
		worth[i] = 1
		if len(direct) > 0 && !direct[w] {
			worth[i] = aside
		}
		for range SmallLetters(w) {
			worth[i] *= small
		}
	}
	return worth
}

// directWords returns the words of the sentences that end in a question mark.
func directWords(text string) map[string]bool {
	direct := map[string]bool{}
	for text != "" {
		end := strings.IndexAny(text, ".!?\n。！？")
		if end < 0 {
			break
		}
		mark, n := utf8.DecodeRuneInString(text[end:])
		if mark == '?' || mark == '？' {
			for w := range tellingWords(text[:end]) {
				direct[w] = true
			}
		}
		text = text[end+n:]
	}
	return direct
}
