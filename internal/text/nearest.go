package text

import (
	"strings"
	"unicode/utf8"
)

// Nearest returns the name that word probably means: the one with the fewest edits, at most
// two or a third of the letters of word, and fewer than all; "" if none is that close. Case
// does not count, and "-" equals "_". Of equally close names the first wins.
func Nearest(word string, names []string) string {
	word = plainName(word)
	letters := utf8.RuneCountInString(word)
	best, most := "", min(max(2, letters/3), letters-1)
	for _, name := range names {
		if n := Edits(word, plainName(name), most); n <= most {
			best, most = name, n-1
		}
	}
	return best
}

func plainName(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", "_") }

// Edits counts the letters to insert, delete, replace or swap with their neighbor
// to turn a into b. It stops counting at most and then returns most+1. No letter is
// edited twice.
func Edits(a, b string, most int) int {
	x, y := []rune(a), []rune(b)
	if max(len(x)-len(y), len(y)-len(x)) > most {
		return most + 1
	}
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return min(last[len(y)], most+1)
}
