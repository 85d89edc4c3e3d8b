package index

import (
	"context"
	"slices"
	"strings"

	"parley/internal/text"
	"parley/internal/text/ranking"
)

// terms returns the significant words of a question, or all words if none is significant:
// each once, and at most maxTerms. Where a script has no spaces they are pairs of letters.
func terms(question string) []string {
	question = text.Lower(text.Composed(question))
	if telling := ranking.TermsUpTo(ranking.Telling(question), maxTerms); len(telling) > 0 {
		return telling
	}
	return text.Terms(question, maxTerms, func(w string) bool { return len(w) > 100 })
}

// maxAlts limits the words that one word of a question may stand for.
const maxAlts = 12

// similar lists words that contain w, or else words that differ from w by one or two typos.
func (s *search) similar(ctx context.Context, w string) ([]string, error) {
	runes := []rune(w)
	if len(runes) < 3 || len(runes) > 40 || text.Pieced(runes[0]) {
		return nil, nil
	}
	held, err := s.wordsWith(ctx, text.Spellings(w), [2]int{0, 40}, func(found string) bool { return found != w })
	if err != nil || len(held) > 0 {
		return held, err
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
	meant, err := s.wordsWith(ctx, pieces, [2]int{len(runes) - slips, len(runes) + slips}, func(found string) bool {
		return text.Edits(w, found, slips) <= slips
	})
	if err != nil || len(meant) > 0 {
		return meant, err
	}
	return s.parts(ctx, runes)
}

// joints are what German, Dutch and Swedish put between the words of a compound.
var joints = []string{"", "s", "es", "n", "en", "er", "e"}

// parts lists the two words of which a compound is made, if both stand in the notes: of several
// ways to divide it, that with the longest last word.
func (s *search) parts(ctx context.Context, compound []rune) ([]string, error) {
	var tails []string
	for i := minWord; i+minWord <= len(compound); i++ {
		tails = append(tails, string(compound[i:]))
	}
	tails, err := s.known(ctx, tails)
	if err != nil {
		return nil, err
	}
	for _, tail := range tails {
		whole := strings.TrimSuffix(string(compound), tail)
		var heads []string
		for _, joint := range joints {
			if head, ok := strings.CutSuffix(whole, joint); ok {
				heads = append(heads, head)
			}
		}
		if heads, err = s.known(ctx, heads); err != nil || len(heads) > 0 {
			return append(heads, tail), err
		}
	}
	return nil, nil
}

// spellings lists words as they may be spelled.
func spellings(words []string) (all []string) {
	for _, w := range words {
		all = append(all, text.Spellings(w)...)
	}
	return all
}

// known lists which of some words, however they are spelled, stand in a section that is not
// hidden, the long ones first, as text.Lower has them.
func (s *search) known(ctx context.Context, words []string) (all []string, err error) {
	found, err := column[string](ctx, s.ix, `SELECT word FROM words WHERE kind = ? AND word IN (SELECT value FROM json_each(?))
		ORDER BY length(word) DESC`, s.q.Kind, inJSON(spellings(words)))
	for _, form := range found {
		w := text.Lower(form)
		if slices.Contains(all, w) {
			continue
		}
		said, err := s.ix.says(ctx, s.q.Kind, form, &s.unseen)
		if err != nil {
			return nil, err
		}
		if said {
			all = append(all, w)
		}
	}
	return all, err
}

// wordsWith lists the words that contain one of the pieces, are as long as that and fit, and
// stand in a section that is not hidden: the short ones first, at most maxAlts, as text.Lower
// has them.
func (s *search) wordsWith(ctx context.Context, pieces []string, long [2]int, fits func(string) bool) (words []string, err error) {
	all, err := column[string](ctx, s.ix, `SELECT w.word FROM words_fts JOIN words w ON w.id = words_fts.rowid
		WHERE words_fts MATCH ? AND w.kind = ? AND length(w.word) BETWEEN ? AND ? ORDER BY length(w.word), w.word`,
		`"`+strings.Join(pieces, `" OR "`)+`"`, s.q.Kind, long[0], long[1])
	if err != nil {
		return nil, err
	}
	for _, form := range all {
		if len(words) == maxAlts {
			break
		}
		w := text.Lower(form)
		if !fits(w) || slices.Contains(words, w) {
			continue
		}
		said, err := s.ix.says(ctx, s.q.Kind, form, &s.unseen)
		if err != nil {
			return nil, err
		}
		if said {
			words = append(words, w)
		}
	}
	return words, nil
}

// says reports whether a word stands, as it is spelled, in a section that is not hidden.
func (ix *index) says(ctx context.Context, kind, word string, u *unseen) (said bool, err error) {
	err = ix.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM spelled_fts WHERE spelled_fts MATCH ?
		AND rowid NOT IN (SELECT value FROM json_each(?)))`, spelled(kind, word), u.list).Scan(&said)
	return said, err
}

// spelled is a word of a kind as spelled_fts has it.
func spelled(kind, word string) string { return kind + word }
