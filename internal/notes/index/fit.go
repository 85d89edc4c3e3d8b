package index

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
	"unicode"

	"parley/internal/text"
	"parley/internal/text/ranking"
	"parley/internal/text/snippet"
)

// How well a section fits a question is computed here and not by the full-text index: that
// weighs words by how often they occur in all files, also in those that the reader may not
// know of.

// What a word counts where it stands, against the text, in which it counts as often as it
// occurs. The weights are those of all languages and are round: what is found hardly changes if
// one of them changes by half.
const (
	inTitle   = 1.5
	inHeading = 2
	inPath    = 1
	inNames   = 1 // an alias, a tag or a heading above
)

// Bounds of what a further occurrence of a word adds, and how much more it takes where there is
// more to read, as in BM25F.
const (
	saturation = 1.2
	byLength   = 0.6 // of a text
	usual      = 500 // bytes of it
	byName     = 0.4 // the same of a title or a heading
	usualName  = 20
)

// What the sections of a note say beside the one that is weighed: by how many of them have a
// word.
const (
	ofNote         = 0.4 // against the section itself
	noteSaturation = 1.5
	byNote         = 0.9 // how much more sections it takes in a long note
	usualNote      = 10  // sections of it
)

const (
	altWorth   = 0.5 // of a match of a stem or of another word that may be meant
	smallWorth = 0.8 // for each small letter in a pair of Chinese ones
	kanaWorth  = 0.5 // for each letter of Hiragana in a pair: they are endings, mostly
	fillWorth  = 0.4 // of a word that says little of what is looked for
	rareness   = 0.7 // the power that brings words of all frequencies nearer
	evenly     = 0.6 // the power that spreads scores: a section with each word once has about 0.7
	maxFitted  = 120 // sections whose texts are read
)

// weigh gives each word its weight: rare words weigh more, and a word that occurs
// nowhere weighs as much as the others on average.
func (s *search) weigh() {
	sum, n := 0.0, 0.0
	parts := borrowed(s.q.Text)
	for _, t := range s.terms {
		if t.rows() > 0 {
			t.weight = s.rarity(t) * telling(t.word) * parts.worth(t.word)
			sum, n = sum+t.weight, n+1
		}
	}
	for _, t := range s.terms {
		if t.rows() == 0 {
			t.weight = sum / max(n, 1)
			if n == 0 {
				t.weight = telling(t.word)
			}
		}
		if t.alike != nil {
			t.alike.weight = altWorth * min(t.weight, s.rarity(t.alike))
		}
	}
}

// borrowing holds how many pairs the Katakana words of a question have, by each of their pairs.
type borrowing map[string]int

// borrowed finds the Katakana words of a question: each is one word, whatever its length.
func borrowed(question string) borrowing {
	all := borrowing{}
	for _, w := range katakana().FindAllString(text.Composed(question), -1) {
		runes := []rune(w)
		for i := range len(runes) - 1 {
			all[string(runes[i:i+2])] = len(runes) - 1
		}
	}
	return all
}

var katakana = text.Pattern(`[\p{Katakana}ー]{3,}`)

// worth is what one pair counts: a word of n pairs as much as the root of n words, so that it
// does not drown the others.
func (b borrowing) worth(pair string) float64 { return 1 / math.Sqrt(float64(max(b[pair], 1))) }

// rarity is what a word is worth: the rarer, the more.
func (s *search) rarity(t *term) float64 {
	rows := float64(t.rows())
	return math.Pow(math.Log(1+max(s.total-rows, 0)/(rows+0.5)+0.5/(rows+0.5)), rareness)
}

// telling returns how much a word tells of what is looked for, up to 1.
func telling(word string) float64 {
	if ranking.Filler(word) {
		return fillWorth
	}
	worth := math.Pow(smallWorth, float64(ranking.SmallLetters(word)))
	for _, r := range word {
		if unicode.Is(unicode.Hiragana, r) {
			worth *= kanaWorth
		}
	}
	return worth
}

// fitting is a section with how well it fits.
type fitting struct {
	id  int64
	fit float64
}

func byFit(a, b fitting) int { return cmp.Or(cmp.Compare(b.fit, a.fit), cmp.Compare(a.id, b.id)) }

// likely chooses maxFitted of some sections by which words they have, and where.
func (s *search) likely(ctx context.Context, sections []int64) ([]int64, error) {
	if len(sections) <= maxFitted {
		return sections, nil
	}
	all := make([]fitting, len(sections))
	for i, id := range sections {
		all[i].id = id
	}
	for _, t := range s.terms {
		if o := t.alike; o != nil {
			for i := range all {
				if t.holds(all[i].id) == 0 {
					all[i].fit += o.weight * o.holds(all[i].id) / (1 + saturation)
				}
			}
		}
		if t.rows() == 0 {
			continue
		}
		named, err := s.holding(ctx, "{title heading tags} : "+t.match())
		if err != nil {
			return nil, err
		}
		for i := range all {
			if worth := t.holds(all[i].id); worth > 0 {
				n := 1.0
				if holds(named, all[i].id) {
					n += inHeading
				}
				all[i].fit += worth * t.weight * n / (n + saturation)
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

// extent is which sections a note has: their numbers follow each other.
type extent struct{ first, count int64 }

// extents returns the sections of the notes of some hits.
func (s *search) extents(ctx context.Context, hits []Hit) (map[int64]extent, error) {
	docs := make([]int64, len(hits))
	for i, h := range hits {
		docs[i] = h.doc
	}
	all := map[int64]extent{}
	return all, each(ctx, s.ix.db, func(rows *sql.Rows) error {
		var doc int64
		var e extent
		err := rows.Scan(&doc, &e.first, &e.count)
		all[doc] = e
		return err
	}, "SELECT doc, min(id), count(*) FROM sections WHERE doc IN (SELECT value FROM json_each(?)) GROUP BY doc", inJSON(docs))
}

// fit returns how well a section fits, 0 to 1: by the words in it and in its names, and by how
// many sections of its note have them.
func (s *search) fit(h *Hit, e extent) (fit float64) {
	title, heading, path, text := text.Lower(h.Title), text.Lower(h.Heading), text.Lower(h.Path), text.Lower(h.Text)
	long := 1 - byLength + byLength*float64(len(text))/usual
	short := func(s string) float64 { return 1 - byName + byName*float64(len(s))/usualName }
	within := func(t *term) float64 {
		worth := t.worth(h.id, title, heading, path, text)
		if worth == 0 {
			return 0
		}
		tf := inTitle*t.times(title)/short(title) + inHeading*t.times(heading)/short(heading) + inPath*t.times(path) + t.times(text)/long
		if tf == 0 {
			tf = inNames // an alias, a tag, or a heading above
		}
		return t.weight * worth * tf / (tf + saturation)
	}
	around := func(t *term) float64 {
		n := float64(t.among(e))
		return t.weight * ofNote * n / (n + noteSaturation*(1-byNote+byNote*float64(e.count)/usualNote))
	}
	all := 0.0
	for _, t := range s.terms {
		all += t.weight * (1 + ofNote)
		fit += t.or(within) + t.or(around)
	}
	return math.Pow(fit/max(all, math.SmallestNonzeroFloat64), evenly)
}

// or returns what something is for the word, or else for those that may stand for it.
func (t *term) or(worth func(*term) float64) float64 {
	if n := worth(t); n > 0 || t.alike == nil {
		return n
	}
	return worth(t.alike)
}

// times counts the word, or else its stems, in a text in small letters.
func (t *term) times(text string) float64 {
	n := 0
	for _, w := range t.words() {
		n += snippet.Times(text, w)
	}
	if n == 0 {
		for _, stem := range t.stems {
			n += snippet.Begin(text, stem)
		}
	}
	return float64(n)
}

// among returns how many of some sections have the word; of a common one, none.
func (t *term) among(e extent) int {
	if t.common() {
		return 0
	}
	return max(between(t.exact, e), between(t.near, e))
}

func between(sections []int64, e extent) int {
	from, _ := slices.BinarySearch(sections, e.first)
	to, _ := slices.BinarySearch(sections, e.first+e.count)
	return to - from
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
