package ranking

import (
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/text"
)

// How many words an Excerpt shows: before the first match, and in total.
const (
	excerptBefore = 8
	excerptWords  = 32
)

// Excerpt returns a piece of a text around the first of some words, with each of them
// between the runes 2 and 3.
func (a Asked) Excerpt(said string, words []string) string {
	stems := a.Stems(words...)
	spots, fields := [][2]int(nil), [][2]int(nil) // from byte to byte: the words that were asked, all words
	first := -1
	for from := 0; from < len(said); {
		r, n := utf8.DecodeRuneInString(said[from:])
		if notWord(r) {
			from += n
			continue
		}
		end := strings.IndexFunc(said[from:], notWord)
		if end < 0 {
			end = len(said) - from
		}
		found := a.spots(said[from:from+end], stems)
		for _, f := range found {
			spots = append(spots, [2]int{from + f[0], from + f[1]})
		}
		if len(found) > 0 && first < 0 {
			first = len(fields)
		}
		fields = append(fields, [2]int{from, from + end})
		from += end
	}
	if first < 0 {
		first = 0
	}
	from, to := max(first-excerptBefore, 0), max(first-excerptBefore, 0)+excerptWords
	begin, end := 0, len(said)
	if from > 0 {
		begin = fields[from][0]
	}
	if to < len(fields) {
		end = fields[to-1][1]
	}
	return cut(said, spots, begin, end)
}

// cut returns the text between two bytes with its spots marked, and "…" for omissions.
func cut(said string, spots [][2]int, begin, end int) string {
	var b strings.Builder
	if begin > 0 {
		b.WriteString("…")
	}
	at := begin
	for _, s := range spots {
		if s[0] >= at && s[1] <= end {
			b.WriteString(said[at:s[0]] + "\x02" + said[s[0]:s[1]] + "\x03")
			at = s[1]
		}
	}
	b.WriteString(said[at:end])
	if end < len(said) {
		b.WriteString("…")
	}
	return b.String()
}

// spots returns where a run of letters and digits has a word with one of some stems.
func (a Asked) spots(run string, stems []string) (at [][2]int) {
	low := strings.ToLower(run)
	if slices.ContainsFunc(a.Stems([]string{low}...), func(s string) bool { return slices.Contains(stems, s) }) {
		return [][2]int{{0, len(run)}}
	}
	if !strings.ContainsFunc(run, text.Pieced) {
		return nil
	}
	for from := 0; from < len(run); {
		_, n := utf8.DecodeRuneInString(run[from:])
		for _, s := range stems {
			if strings.HasPrefix(run[from:], s) {
				at, n = append(at, [2]int{from, from + len(s)}), max(n, len(s))
				break
			}
		}
		from += n
	}
	return at
}
