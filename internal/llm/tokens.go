package llm

import (
	"math"
	"unicode"
	"unicode/utf8"
)

// Traits count how much a request has of each kind of text. Tokenizers differ in how
// many tokens each kind takes.
type Traits [6]float64

// The kinds.
const (
	TraitLetters = iota // ASCII letters and spaces
	TraitMarks          // the rest of ASCII: digits, punctuation, line ends
	TraitHan            // Chinese, Japanese and Korean
	TraitOther          // all other characters
	TraitTurns          // messages and calls: what a template writes around each
	TraitTools          // characters of tools
)

// TraitsOf counts what a request has of each kind, pictures left out.
func TraitsOf(r Request) (t Traits) {
	for _, m := range r.Messages {
		t.addMessage(m)
	}
	for _, s := range r.Tools {
		t[TraitTools] += float64(len(s.Name) + len(s.Description) + len(s.Parameters))
	}
	if r.Schema != nil {
		t[TraitTools] += float64(len(r.Schema.JSON))
	}
	return t
}

func (t *Traits) addMessage(m Message) {
	t[TraitTurns]++
	t.addText(m.Content)
	t.addText(m.Name)
	for _, c := range m.ToolCalls {
		t[TraitTurns]++
		t.addText(c.Name)
		t.addText(c.Args)
	}
}

// addText looks at each byte of a request several times for each message, so it has a
// table for those that are most of all texts.
func (t *Traits) addText(s string) {
	letters, marks := 0, 0
	for i := 0; i < len(s); {
		if b := s[i]; b < utf8.RuneSelf {
			letters += isLetter[b]
			marks += 1 - isLetter[b]
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			t[TraitHan]++
		} else {
			t[TraitOther]++
		}
	}
	t[TraitLetters] += float64(letters)
	t[TraitMarks] += float64(marks)
}

// isLetter is 1 for ASCII letters and spaces.
var isLetter = func() (is [utf8.RuneSelf]int) {
	for _, b := range " abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" {
		is[b] = 1
	}
	return is
}()

// Usual is how many tokens one of each kind takes before anything is known about a
// model.
var Usual = Traits{TraitLetters: 0.25, TraitMarks: 0.25, TraitHan: 0.8, TraitOther: 0.4, TraitTurns: 0, TraitTools: 0.25}

// At returns the tokens of traits, each at its weight.
func (t Traits) At(weights Traits) (n float64) {
	for i, v := range t {
		n += v * weights[i]
	}
	return n
}

// EstimateTokens returns the size of a message before a provider has counted it, at
// least 1: a token for four ASCII characters, and more for others.
func EstimateTokens(m Message) int {
	var t Traits
	t.addMessage(m)
	return max(1, int(math.Ceil(t.At(Usual)-1e-9)))
}
