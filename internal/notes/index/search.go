package index

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"parley/internal/llm/vector"
	"parley/internal/notes/frontmatter"
	"parley/internal/text/ranking"
	"parley/internal/text/snippet"
)

// Bounds of one search.
const (
	maxTerms = 40   // words of a question, or pairs of letters
	maxRows  = 3000 // sections that are scored; a word in more of them is common
	maxHits  = 50
)

// Query asks for passages. Any text is fine.
type Query struct {
	Text   string
	Kind   string   // "" means notes
	Tags   []string // only files with all these tags, or tags below them
	Folder string   // only files below this folder
	From   []string // only these sources; nil means all
	Limit  int      // 0 means 8; at most 50
	// Properties must all be in the frontmatter. A part of the value is enough, and ""
	// matches any.
	Properties []frontmatter.Property
	During     *Period // passages of this period come first; nil means any
	Hidden     Hidden  // from who asks
}

// Hit is a passage that was found.
type Hit struct {
	Source  string
	Path    string // from the folder of its source, with slashes
	Title   string
	Heading string    // of code, the symbol defined there
	Line    int       // first line of Text, from 1
	Page    int       // of a document, from 1; 0 if it has no pages
	Day     time.Time // the date that the file names, or else when it was changed
	During  bool      // it belongs to the period in question
	Score   float64
	Snippet string   // at most 500 characters around the matching words
	Text    string   // the whole section, with the words of blocks in place of ((id))
	Quoted  []string // the other notes of the source that these blocks are from

	id, doc int64
	own     bool // the file names Day
}

// term is a word of a question and the sections that contain it, in order.
type term struct {
	word   string
	alts   []string // of a rare word: words that contain it or differ by a typo
	exact  []int64  // the first maxRows sections with the word
	stems  []string // of the word, in the language of the question
	near   []int64  // sections with the word, one of stems or one of alts; empty without those
	weight float64
	alike  *term // other words that may stand for it, as one; nil without
}

func (t *term) rows() int { return max(len(t.exact), len(t.near)) }

// common reports whether a word occurs in more sections than were loaded.
func (t *term) common() bool { return len(t.exact) == maxRows }

// worth returns how well a section matches the word, 0 to 1. texts are what it and its names
// say, as text.Lower has them.
func (t *term) worth(section int64, texts ...string) float64 {
	if t.common() && slices.ContainsFunc(texts, func(text string) bool { return snippet.Holds(text, t.word) }) {
		return 1
	}
	return t.holds(section)
}

func holds(sections []int64, id int64) bool {
	_, found := slices.BinarySearch(sections, id)
	return found
}

// match returns the word, its stems and its alternatives as an FTS5 query.
func (t *term) match() string { return matching(append(t.words(), t.stems...)...) }

// matching returns an FTS5 query for any of some words, however they are spelled. No operator gets
// in: each is quoted and has only letters and digits.
func matching(words ...string) string {
	var all []string
	for _, w := range spellings(words) {
		all = append(all, `"`+strings.TrimSpace(spaced(w))+`"`)
	}
	return "(" + strings.Join(all, " OR ") + ")"
}

// words returns the word and its alternatives.
func (t *term) words() []string { return append([]string{t.word}, t.alts...) }

// Search returns the passages that match a question, best first: by words and, if there
// are vectors, by meaning. No match is no error; ErrNotReady means that the index is not
// ready.
func (v *Vault) Search(ctx context.Context, q Query) (hits []Hit, err error) {
	if q.Kind == "" {
		q.Kind = KindNotes
	}
	if q.Kind != KindNotes && q.Kind != KindCode {
		return nil, fmt.Errorf("search: there is no kind %q", q.Kind)
	}
	if q.Limit <= 0 {
		q.Limit = 8
	}
	q.Limit = min(q.Limit, maxHits)
	s := &search{q: q, meanings: &v.meanings}
	if v.meanings.has(q.Kind) {
		s.asked = v.o.Embed.Query(ctx, q.Text)
	}
	err = v.asking(func(ix *index) error {
		s.ix = ix
		if s.unseen, err = ix.unseen(ctx, q.Hidden); err != nil {
			return err
		}
		s.total = float64(v.Status().Sections - len(s.unseen.sections))
		hits, err = s.run(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return hits, nil
}

// search is a running search.
type search struct {
	ix    *index
	q     Query
	stem  func(string) []string
	total float64 // sections that may be found
	unseen
	terms []*term
	found map[int64]bool // sections

	asked    vector.Vector // of the question; nil searches by words alone
	meanings *meanings
}

func (s *search) run(ctx context.Context) ([]Hit, error) {
	s.found = map[int64]bool{}
	if err := s.read(ctx); err != nil {
		return nil, err
	}
	if err := s.gather(ctx); err != nil {
		return nil, err
	}
	near, err := s.near(ctx)
	if err != nil {
		return nil, err
	}
	for _, id := range near {
		s.found[id] = true
	}
	if err := s.period(ctx); err != nil {
		return nil, err
	}
	if len(s.found) == 0 {
		return nil, nil
	}
	hits, err := s.load(ctx)
	if err != nil {
		return nil, err
	}
	linked, err := s.linked(ctx, hits)
	if err != nil {
		return nil, err
	}
	if err := s.score(ctx, hits, linked); err != nil {
		return nil, err
	}
	if len(near) > 0 {
		fuse(hits, near, linked)
	}
	s.q.During.mark(hits)
	hits = s.pick(hits)
	if err := s.show(ctx, hits); err != nil {
		return nil, err
	}
	words := make([][]string, len(s.terms))
	for i, t := range s.terms {
		words[i] = t.words()
		if t.alike != nil {
			words[i] = append(words[i], t.alike.words()...)
		}
	}
	for i := range hits {
		hits[i].Snippet = snippet.Of(hits[i].Text, words)
	}
	return hits, nil
}

// read looks up the words of the question.
func (s *search) read(ctx context.Context) error {
	s.stem = ranking.Stemmer(s.q.Text)
	alike := ranking.Alike(s.q.Text)
	for _, w := range terms(s.q.Text) {
		t, err := s.term(ctx, w)
		if err == nil {
			t.alike, err = s.alike(ctx, alike(w))
		}
		if err != nil {
			return err
		}
		s.terms = append(s.terms, t)
	}
	s.weigh()
	return nil
}

// term looks up a word and, if it is rare, its alternatives.
func (s *search) term(ctx context.Context, w string) (*term, error) {
	t := &term{word: w}
	if s.q.Kind == KindNotes {
		t.stems = s.stem(w)
	}
	var err error
	if t.exact, err = s.holding(ctx, matching(w)); err != nil {
		return nil, err
	}
	if len(t.stems) > 0 {
		if t.near, err = s.holding(ctx, t.match()); err != nil {
			return nil, err
		}
	}
	if t.rows() >= 3 {
		return t, nil
	}
	if t.alts, err = s.similar(ctx, w); err != nil || len(t.alts) == 0 {
		return t, err
	}
	t.near, err = s.holding(ctx, t.match())
	return t, err
}

// alike looks up words that may stand for another; nil without any.
func (s *search) alike(ctx context.Context, words []string) (t *term, err error) {
	if len(words) == 0 {
		return nil, nil
	}
	t = &term{word: words[0], alts: words[1:]}
	for _, w := range words {
		t.stems = append(t.stems, s.stem(w)...)
	}
	t.exact, err = s.holding(ctx, t.match())
	return t, err
}

// holding lists the sections that match, at most maxRows of them.
func (s *search) holding(ctx context.Context, match string) ([]int64, error) {
	table := s.q.Kind + "_fts"
	return s.matching(ctx, "SELECT rowid AS id FROM "+table+" WHERE "+table+" MATCH ? ORDER BY rowid LIMIT ?", match)
}

// matching lists the sections that a query with a limit selects as id, without those that
// are hidden. SQLite returns one text with all numbers many times faster than a row for each.
func (s *search) matching(ctx context.Context, query string, args ...any) (all []int64, err error) {
	var list []byte
	err = s.ix.db.QueryRowContext(ctx, "SELECT group_concat(id) FROM ("+query+")", append(args, maxRows+len(s.sections))...).Scan(&list)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	all = make([]int64, 1, bytes.Count(list, []byte{','})+1)
	for _, c := range list { // digits and commas
		if last := &all[len(all)-1]; c != ',' {
			*last = *last*10 + int64(c-'0')
		} else {
			all = append(all, 0)
		}
	}
	return s.seen(all, maxRows), nil
}

// gather finds the sections to rank: those with one of the rarest words, and of those that may
// stand for them, as long as all can be scored; then those with all common words; and if that
// finds nothing, the newest with any of them.
func (s *search) gather(ctx context.Context) error {
	var rare, common []string
	rows := 0
	fits := func(t *term) bool { return !t.common() && (rows == 0 || rows+t.rows() <= maxRows) }
	for _, t := range byRarity(s.terms) {
		switch {
		case t.rows() == 0:
		case fits(t):
			rows += t.rows()
			rare = append(rare, t.match())
		default:
			common = append(common, t.match())
		}
	}
	for _, t := range byRarity(s.terms) {
		if o := t.alike; o != nil && o.rows() > 0 && fits(o) {
			rows += o.rows()
			rare = append(rare, o.match())
		}
	}
	if err := s.best(ctx, strings.Join(rare, " OR ")); err != nil {
		return err
	}
	if len(s.found) < s.q.Limit {
		if err := s.best(ctx, strings.Join(common, " AND ")); err != nil {
			return err
		}
	}
	if len(s.found) == 0 {
		return s.best(ctx, strings.Join(common, " OR "))
	}
	return nil
}

func byRarity(terms []*term) []*term {
	return slices.SortedFunc(slices.Values(terms), func(a, b *term) int { return a.rows() - b.rows() })
}

// only returns the query's filters as a condition on documents, "" for none.
func (s *search) only() (where string, args []any) {
	for _, tag := range s.q.Tags {
		if tag == "" {
			continue
		}
		tag = tagName(tag)
		low, high := below(tag)
		where += " AND EXISTS (SELECT 1 FROM tags t WHERE t.doc = d.id AND (t.tag = ? OR t.tag >= ? AND t.tag < ?))"
		args = append(args, tag, low, high)
	}
	if folder := strings.Trim(s.q.Folder, "/"); folder != "" {
		low, high := below(folder)
		where += " AND d.path >= ? AND d.path < ?"
		args = append(args, low, high)
	}
	if s.q.From != nil {
		list, _ := json.Marshal(s.q.From) // texts: cannot fail
		where += " AND d.source IN (SELECT value FROM json_each(?))"
		args = append(args, string(list))
	}
	for _, o := range s.q.Properties {
		where += " AND EXISTS (SELECT 1 FROM properties o WHERE o.doc = d.id AND (o.key = ? OR o.key LIKE '%.' || ? ESCAPE " +
			"'\\') AND (instr(lower(o.value), ?) > 0 OR instr(o.value, ?) > 0))"
		key := strings.ToLower(o.Key)
		args = append(args, key, like(key), strings.ToLower(o.Value), o.Value)
	}
	return where, args
}

// best adds the best matches among the sections that pass the filters.
func (s *search) best(ctx context.Context, match string) error {
	if match == "" {
		return nil
	}
	where, more := s.only()
	return s.bestOf(ctx, match, where, more)
}

// bestOf adds the best matches among documents with a condition, of the newest that match.
func (s *search) bestOf(ctx context.Context, match, where string, more []any) error {
	table := s.q.Kind + "_fts"
	from, args := table, []any{match}
	if where != "" {
		from += " JOIN sections s ON s.id = " + table + ".rowid JOIN docs d ON d.id = s.doc"
		args = append(args, more...)
	}
	ids, err := s.matching(ctx, "SELECT "+table+".rowid AS id FROM "+from+" WHERE "+table+" MATCH ?"+where+
		" ORDER BY "+table+".rowid DESC LIMIT ?", args...)
	if err != nil || len(ids) == 0 {
		return err
	}
	ids, err = s.likely(ctx, ids)
	for _, id := range ids {
		s.found[id] = true
	}
	return err
}

// load fetches what was found.
func (s *search) load(ctx context.Context) ([]Hit, error) {
	found, _ := json.Marshal(slices.Collect(maps.Keys(s.found))) // numbers
	return s.ix.hits(ctx, `SELECT s.id, s.doc, d.source, d.path, d.title, s.heading, s.line, s.page, d.day, d.mtime, s.text
		FROM sections s JOIN docs d ON d.id = s.doc WHERE s.id IN (SELECT value FROM json_each(?))`, string(found))
}

// hits runs a query for hits. Its columns are those of load.
func (ix *index) hits(ctx context.Context, query string, args ...any) (hits []Hit, err error) {
	return hits, each(ctx, ix.db, func(rows *sql.Rows) error {
		var h Hit
		var day, mtime int64
		err := rows.Scan(&h.id, &h.doc, &h.Source, &h.Path, &h.Title, &h.Heading, &h.Line, &h.Page, &day, &mtime, &h.Text)
		if h.Day = time.Unix(0, mtime); day != 0 {
			h.Day, h.own = time.Unix(day*frontmatter.SecondsOfDay, 0).UTC(), true
		}
		hits = append(hits, h)
		return err
	}, query, args...)
}

// linkWorth is what a link to or from another hit adds.
const linkWorth = 0.05

// score sets how much of the question each section holds, 0 to 1. Files in linked get a
// boost.
func (s *search) score(ctx context.Context, hits []Hit, linked map[int64]bool) error {
	extents, err := s.extents(ctx, hits)
	for i := range hits {
		h := &hits[i]
		h.Score = s.fit(h, extents[h.doc]) * (1 - linkWorth)
		if linked[h.doc] {
			h.Score *= 1 + linkWorth
		}
	}
	return err
}

// linked returns the files among the hits that are linked with each other.
func (s *search) linked(ctx context.Context, hits []Hit) (map[int64]bool, error) {
	docs, named := map[int64]bool{}, map[string][]int64{}
	for _, h := range hits {
		if name := noteName(h.Path); !docs[h.doc] {
			docs[h.doc], named[name] = true, append(named[name], h.doc)
		}
	}
	from, _ := json.Marshal(slices.Collect(maps.Keys(docs))) // numbers
	to, err := json.Marshal(slices.Collect(maps.Keys(named)))
	if err != nil {
		return nil, err
	}
	linked := map[int64]bool{}
	return linked, each(ctx, s.ix.db, func(rows *sql.Rows) error {
		var doc int64
		var target string
		if err := rows.Scan(&doc, &target); err != nil {
			return err
		}
		for _, other := range named[target] {
			if other != doc {
				linked[doc], linked[other] = true, true
			}
		}
		return nil
	}, // The plus makes SQLite scan all links of a file instead of looking up each name.
		`SELECT doc, target FROM links
		WHERE doc IN (SELECT value FROM json_each(?)) AND +target IN (SELECT value FROM json_each(?))`, string(from), string(to))
}

// A file's sections beyond perDoc count for less, each less than the one before: several files
// say more than one, unless that one has all the best.
const (
	perDoc    = 3
	moreWorth = 0.8
)

// pick keeps the best sections.
func (s *search) pick(hits []Hit) []Hit {
	best := func(a, b Hit) int {
		switch {
		case a.During == b.During:
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.id, b.id))
		case a.During:
			return -1
		}
		return 1
	}
	slices.SortFunc(hits, best)
	met := map[int64]int{}
	for i := range hits {
		hits[i].Score *= math.Pow(moreWorth, float64(max(0, met[hits[i].doc]-perDoc+1)))
		met[hits[i].doc]++
	}
	slices.SortFunc(hits, best)
	return hits[:min(len(hits), s.q.Limit)]
}
