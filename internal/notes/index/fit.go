package index

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
	"strings"

	"parley/internal/text/snippet"
)

// How well a section fits a question is computed here and not by the full-text index: that
// weighs words by how often they occur in all files, also in those that the reader may not
// know of.

// Weights of the places where a word stands. In the text it counts as often as it occurs.
const (
	inTitle   = 8
	inHeading = 4
	inTags    = 3
)

// Bounds of what a further occurrence of a word adds, as in BM25.
const (
	saturation = 1.2
	byLength   = 0.75 // how much longer sections count for less
	usual      = 700  // bytes of a section
	maxFitted  = 120  // sections whose texts are read for it
)

// rarity is what a word is worth: the rarer, the more.
func (s *search) rarity(t *term) float64 {
	rows := float64(t.rows())
	return math.Log(1 + max(s.total-rows, 0)/(rows+0.5) + 0.5/(rows+0.5))
}

// fitting is a section with how well it fits.
type fitting struct {
	id  int64
	fit float64
}

func byFit(a, b fitting) int { return cmp.Or(cmp.Compare(b.fit, a.fit), cmp.Compare(a.id, b.id)) }

// fitted returns the best of some sections: of many, those whose names have the words are
// looked at first.
func (s *search) fitted(ctx context.Context, sections []int64) ([]fitting, error) {
	if len(sections) > maxFitted {
		var err error
		if sections, err = s.likely(ctx, sections); err != nil {
			return nil, err
		}
	}
	all := make([]fitting, 0, len(sections))
	err := each(ctx, s.ix.db, func(rows *sql.Rows) error {
		var id int64
		var title, heading, text string
		err := rows.Scan(&id, &title, &heading, &text)
		all = append(all, fitting{id, s.fit(id, strings.ToLower(title), strings.ToLower(heading), strings.ToLower(text))})
		return err
	}, `SELECT s.id, d.title, s.heading, s.text FROM sections s JOIN docs d ON d.id = s.doc
		WHERE s.id IN (SELECT value FROM json_each(?))`, inJSON(sections))
	slices.SortFunc(all, byFit)
	return all[:min(len(all), maxCandidates)], err
}

// likely chooses maxFitted of some sections by which words they have, and where.
func (s *search) likely(ctx context.Context, sections []int64) ([]int64, error) {
	all := make([]fitting, len(sections))
	for i, id := range sections {
		all[i].id = id
	}
	for _, t := range s.terms {
		if t.rows() == 0 {
			continue
		}
		named, err := s.holding(ctx, "{title heading tags} : "+t.match())
		if err != nil {
			return nil, err
		}
		rarity := s.rarity(t)
		for i := range all {
			if worth := t.holds(all[i].id); worth > 0 {
				n := 1.0
				if holds(named, all[i].id) {
					n += inHeading
				}
				all[i].fit += worth * rarity * n / (n + saturation)
			}
		}
	}
	slices.SortFunc(all, byFit)
	ids := make([]int64, maxFitted)
	for i := range ids {
		ids[i] = all[i].id
	}
	return ids, nil
}

// fit returns how well a section fits. Its words are in small letters.
func (s *search) fit(id int64, title, heading, text string) (sum float64) {
	long := saturation * (1 - byLength + byLength*float64(len(text))/usual)
	for _, t := range s.terms {
		worth := t.worth(id, text)
		if worth == 0 || t.rows() == 0 {
			continue
		}
		n := 0
		for _, w := range t.words() {
			n += inTitle*snippet.Times(title, w) + inHeading*snippet.Times(heading, w) + snippet.Times(text, w)
		}
		if n == 0 {
			for _, stem := range t.stems {
				n += inTitle*snippet.Begin(title, stem) + inHeading*snippet.Begin(heading, stem) + snippet.Begin(text, stem)
			}
		}
		if n == 0 {
			n = inTags // or an alias, or a heading above
		}
		sum += worth * s.rarity(t) * float64(n) * (saturation + 1) / (float64(n) + long)
	}
	return sum
}

// holds is worth without the text.
func (t *term) holds(section int64) float64 {
	switch {
	case holds(t.exact, section):
		return 1
	case holds(t.near, section):
		return altWorth
	}
	return 0
}
