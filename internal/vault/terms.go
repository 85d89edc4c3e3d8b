package vault

import (
	"context"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/text"
)

// stopWords carry no meaning in a question.
var stopWords = strings.Fields("a about an and any are as at be been by can could did do does for from had has have he her his how i if in is it its me my of on or our s she should so t that the their them they this to us was we were what when where which who why will with would you your")

// terms returns the significant words of a question, each once and not too many; all
// of its words if none is significant.
func terms(question string) []string {
	long := func(w string) bool { return len(w) > 100 }
	telling := text.Terms(question, maxTerms, func(w string) bool { return long(w) || slices.Contains(stopWords, w) })
	if len(telling) == 0 {
		return text.Terms(question, maxTerms, long)
	}
	return telling
}

// maxAlts is how many words one word of a question may stand for.
const maxAlts = 12

// similar lists words in the index that contain w, or else those that are w with a
// typo or two.
func (ix *index) similar(ctx context.Context, kind, w string) ([]string, error) {
	runes := []rune(w)
	if len(runes) < 3 || len(runes) > 40 || text.Unspaced(runes[0]) {
		return nil, nil
	}
	held, err := ix.wordsWith(ctx, kind, []string{w}, maxAlts+1)
	held = slices.DeleteFunc(held, func(s string) bool { return s == w })
	if err != nil || len(held) > 0 {
		return held[:min(len(held), maxAlts)], err
	}
	slips, parts := 0, 0
	switch { // with so many slips, one of the parts is still whole
	case len(runes) >= 9:
		slips, parts = 2, 3
	case len(runes) >= 6:
		slips, parts = 1, 2
	default:
		return nil, nil
	}
	var pieces []string
	for i := range parts {
		pieces = append(pieces, string(runes[i*len(runes)/parts:(i+1)*len(runes)/parts]))
	}
	likely, err := ix.wordsWith(ctx, kind, pieces, maxRows)
	likely = slices.DeleteFunc(likely, func(s string) bool { return text.Edits(w, s, slips) > slips })
	return likely[:min(len(likely), maxAlts)], err
}

// wordsWith lists words that contain one of some pieces, short ones first.
func (ix *index) wordsWith(ctx context.Context, kind string, pieces []string, limit int) (found []string, err error) {
	rows, err := ix.db.QueryContext(ctx, `SELECT w.word FROM words_fts JOIN words w ON w.id = words_fts.rowid
		WHERE words_fts MATCH ? AND w.kind = ? ORDER BY length(w.word), w.word LIMIT ?`, `"`+strings.Join(pieces, `" OR "`)+`"`, kind, limit)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var w string
		if err := rows.Scan(&w); err != nil {
			return nil, err
		}
		found = append(found, w)
	}
	return found, rows.Err()
}

// snippet returns the part of a text that holds the most of the words, on one line.
func snippet(s string, terms []*term) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= maxSnippet {
		return s
	}
	runes := []rune(s)
	at := densest(s, terms)
	from := max(0, min(at-60, len(runes)-maxSnippet+2))
	for from > 0 && from < at && !unicode.IsSpace(runes[from-1]) {
		from++
	}
	rest := string(runes[from:])
	out := text.Clip(rest, maxSnippet-2) // two for the marks of what is left out
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
func densest(s string, terms []*term) int {
	type place struct{ at, term int }
	var places []place
	small := strings.ToLower(s)
	for n, t := range terms {
		for _, w := range append([]string{t.word}, t.alts...) {
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
	best, most := 0, 0
	for i, first := range places {
		seen := map[int]bool{}
		for _, p := range places[i:] {
			if p.at > first.at+maxSnippet-100 {
				break
			}
			seen[p.term] = true
		}
		if len(seen) > most {
			best, most = first.at, len(seen)
		}
	}
	return best
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
			if (at == 0 || !text.InWord(before) || text.Unspaced(first)) && !yield(at) {
				return
			}
		}
	}
}

// stands reports whether a word of a text has this beginning.
func stands(text, so string) bool {
	for range beginnings(text, so) {
		return true
	}
	return false
}
