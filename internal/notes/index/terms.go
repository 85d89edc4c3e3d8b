package index

import (
	"context"
	"slices"
	"strings"

	"parley/internal/text"
)

// stopWords carry no meaning in a question.
var stopWords = strings.Fields(
	"a about an and any are as at be been by can could did do does for from had has have he her his how i if in is it " +
		"its me my of on or our s she should so t that the their them they this to us was we were what when where which who " +
		"why will with would you your")

// terms returns the significant words of a question, or all words if none is significant:
// each once, and at most maxTerms.
func terms(question string) []string {
	long := func(w string) bool { return len(w) > 100 }
	telling := text.Terms(question, maxTerms, func(w string) bool { return long(w) || slices.Contains(stopWords, w) })
	if len(telling) == 0 {
		return text.Terms(question, maxTerms, long)
	}
	return telling
}

// maxAlts limits the words that one word of a question may stand for.
const maxAlts = 12

// similar lists words of the index that contain w, or else words that differ from w by
// one or two typos.
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
	switch { // however the slips fall, they leave one of the parts whole
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

// wordsWith lists words that contain one of the pieces, the short ones first.
func (ix *index) wordsWith(ctx context.Context, kind string, pieces []string, limit int) ([]string, error) {
	return column[string](ctx, ix, `SELECT w.word FROM words_fts JOIN words w ON w.id = words_fts.rowid
		WHERE words_fts MATCH ? AND w.kind = ? ORDER BY length(w.word), w.word LIMIT ?`, `"`+strings.Join(pieces, `" OR "`)+`"`, kind, limit)
}
