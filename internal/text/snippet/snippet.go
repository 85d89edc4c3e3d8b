// Package snippet shows the part of a text that answers a search. It finds no texts
// and ranks none.
package snippet

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/text"
)

// most is how many characters a snippet has.
const most = 500

// Of returns the part of a text that holds the most different words, on one line: for
// each of words a list of what it may stand for, in small letters.
func Of(s string, words [][]string) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	runes := []rune(s)
	at := densest(s, words)
	from := max(0, min(at-60, len(runes)-most+2))
	for from > 0 && from < at && !unicode.IsSpace(runes[from-1]) {
		from++
	}
	rest := string(runes[from:])
	out := text.Clip(rest, most-2) // two for the marks of what is left out
	cut := len(out) < len(rest)
	out = strings.TrimSpace(out)
	if from > 0 {
		out = "…" + out
	}
	if cut {
		out += "…"
	}
	return out
}

// densest returns where the stretch with the most different words begins, in
// characters.
func densest(s string, words [][]string) int {
	type place struct{ at, word int }
	var places []place
	small := text.Lower(s)
	for n, alternatives := range words {
		for _, w := range alternatives {
			for at := range beginnings(small, beginning(w)) {
				places = append(places, place{at, n})
			}
		}
	}
	slices.SortFunc(places, func(a, b place) int { return a.at - b.at })
	runes, last := 0, 0
	for i, p := range places {
		runes, last = runes+utf8.RuneCountInString(small[last:p.at]), p.at
		places[i].at = runes
	}
	best, held := 0, 0
	for i, first := range places {
		seen := map[int]bool{}
		for _, p := range places[i:] {
			if p.at > first.at+most-100 {
				break
			}
			seen[p.word] = true
		}
		if len(seen) > held {
			best, held = first.at, len(seen)
		}
	}
	return original(s, best)
}

// original returns which character of s is the n-th of text.Lower of it, which has two for ß.
func original(s string, n int) (at int) {
	for _, r := range s {
		if n--; unicode.ToLower(r) == 'ß' {
			n--
		}
		if n < 0 {
			break
		}
		at++
	}
	return at
}

// beginning returns a word without its possible ending.
func beginning(word string) string {
	runes := []rune(word)
	switch {
	case len(runes) > 5:
		return string(runes[:len(runes)-2])
	case len(runes) > 3:
		return string(runes[:len(runes)-1])
	}
	return word
}

// beginnings returns the places where a word of a text has this beginning, in bytes.
func beginnings(s, so string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := 0; ; at++ {
			next := strings.Index(s[at:], so)
			if next < 0 {
				return
			}
			at += next
			before, _ := utf8.DecodeLastRuneInString(s[:at])
			first, _ := utf8.DecodeRuneInString(so)
			if (at == 0 || !text.InWord(before) || text.Pieced(first)) && !yield(at) {
				return
			}
		}
	}
}

// Times returns how often Holds would find the word in a text.
func Times(text, word string) (n int) {
	for range beginnings(text, beginning(word)) {
		n++
	}
	return n
}

// Begin returns how many words of a text, which is in small letters, begin so.
func Begin(text, so string) (n int) {
	for range beginnings(text, so) {
		n++
	}
	return n
}

// Holds reports whether a word of a text, which is in small letters, begins as this
// one does, whatever its ending.
func Holds(text, word string) bool {
	for range beginnings(text, beginning(word)) {
		return true
	}
	return false
}
