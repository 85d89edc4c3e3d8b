package memory

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"parley/internal/db/engine"
	"parley/internal/text/ranking"
)

// How much of the index one question reads. Words are read whole, the rarest first, until no
// message that lacks all of these can be one of the best any more, or maxRead ends. From
// then on only messages count that have two of the words: left out are older ones that say
// nothing of a question but one of its most frequent words.
const (
	maxRead   = 40_000 // entries
	maxBoth   = 20_000 // of a word that stand beside another
	maxLatest = 2_000  // of each word, by which is estimated how many it has
	maxApart  = 100    // messages of a place by which is estimated how far apart they are

	fewPlaces = 8  // each is looked up by itself; of more, entries of all places are read
	placeBits = 20 // of an entry, below the id of its message
)

// apartQuery finds between which ids the latest messages of places are.
const apartQuery = `SELECT p.n, coalesce((SELECT max(m.id) FROM messages m
		WHERE m.platform = p.platform AND m.channel = p.channel AND m.thread = p.thread), 0),
	coalesce((SELECT m.id FROM messages m WHERE m.platform = p.platform AND m.channel = p.channel AND m.thread = p.thread
		ORDER BY m.id DESC LIMIT 1 OFFSET :latest), 0)
	FROM places p WHERE p.n IN (SELECT CAST(value AS BIGINT) FROM json_each(:places))`

var _ [ranking.MaxLists - 2*maxWords]struct{} // two for each word

// posting is what the index has for a word of a question, or for its synonyms.
type posting struct {
	word  int // its place in the question
	worth float64
	stems []string
	rows  []int64 // entries in the places, rising, with the number of the message for its id
	many  float64 // how many have it, at least about
	whole bool    // rows are all
}

// weight is what the posting adds to a message: the fewer of n have it, the more.
func (p *posting) weight(n float64) float64 { return p.worth * math.Log(1+n/max(p.many, 1)) }

// finder looks up the words of one question.
type finder struct {
	s      *Store
	asked  ranking.Asked
	places []int64
	inside map[int64]bool    // the places, as entries have them; nil if words are looked up by place
	order  *order            // of the messages in the places
	apart  map[int64]float64 // numbers from one message to the next, by place as entries have it; 1 if nil
	total  float64           // messages in the places
	left   int               // entries that may still be read
	found  [][]ranking.Hit   // what was found, by the message's number
	lists  []ranking.List    // what each of these is for
	index  entries
}

// hits are the numbers of the messages in the places that may say the most of some words of the
// question in and around them, the best first.
func (f *finder) hits(words []string) ([]int64, error) {
	if err := f.measure(); err != nil {
		return nil, err
	}
	var all, rest []*posting
	for i, w := range words {
		all = append(all, &posting{word: i, worth: 1, stems: f.asked.Stems(w)},
			&posting{word: i, worth: ranking.SynonymWorth, stems: f.asked.Stems(ranking.Synonyms(w)...)})
	}
	if err := f.open(all); err != nil {
		return nil, err
	}
	for _, p := range all {
		if err := f.latest(p); err != nil {
			return nil, err
		}
		if p.whole {
			f.take(p)
		} else {
			rest = append(rest, p)
		}
	}
	slices.SortStableFunc(rest, func(a, b *posting) int { return cmp.Compare(a.many, b.many) })
	for i, wanted := 0, true; i < len(rest); i++ {
		best := make([]float64, len(words))
		for _, r := range rest[i:] {
			best[r.word] = max(best[r.word], r.weight(f.total))
		}
		promise := 0.0 // of a message with none of the stems that were looked up
		for _, w := range best {
			promise += w
		}
		// the promise only falls, and what is needed to be one of the best only rises
		wanted = wanted && f.left > 0 && promise >= f.merged(len(words)).Least(maxSpans)
		if err := f.older(rest[i], wanted); err != nil {
			return nil, err
		}
	}
	return f.merged(len(words)).Spans(f.apart), nil
}

// measure finds out how many messages there are, and how far apart.
func (f *finder) measure() (err error) {
	f.total = float64(f.order.total)
	if len(f.places) > fewPlaces {
		f.inside = map[int64]bool{}
		for _, n := range f.places {
			f.inside[n&(1<<placeBits-1)] = true
		}
		return nil
	}
	list, err := json.Marshal(f.places)
	if err != nil {
		return err
	}
	f.apart = map[int64]float64{}
	_, err = engine.Select(f.s.db, func(r engine.Scanner) (n int64, err error) {
		var last, first int64
		if err = r.Scan(&n, &last, &first); first > 0 {
			f.apart[n&(1<<placeBits-1)] = float64(f.order.number(last)-f.order.number(first)) / maxApart
		}
		return n, err
	}, apartQuery, engine.Named{"latest": maxApart, "places": string(list)})
	return err
}

// latest reads the latest entries of a posting, and whether these are all.
func (f *finder) latest(p *posting) error {
	if len(p.stems) == 0 {
		p.whole = true
		return nil
	}
	rows, err := f.index.latest(p.stems, maxLatest)
	if err != nil {
		return err
	}
	p.rows, p.many, p.whole = f.here(rows), float64(len(rows)), len(rows) < maxLatest
	if !p.whole && len(p.rows) > 0 {
		p.many *= f.total / max(1, f.total-float64(p.rows[0]>>placeBits))
	}
	return nil
}

// older reads a posting whole or, unless messages are wanted that have no word that was
// looked up, those that have one.
func (f *finder) older(p *posting, wanted bool) (err error) {
	var rows []int64
	switch {
	case wanted && f.left > 0:
		rows, err = f.index.latest(p.stems, f.left)
		if p.many = max(p.many, float64(len(rows))); len(rows) < f.left {
			p.many = float64(len(rows))
		}
		p.rows, p.whole = f.here(rows), true
	default:
		rows, err = f.index.besides(p.stems, maxBoth)
		p.rows = f.here(rows)
	}
	f.left -= len(rows)
	f.take(p)
	return err
}

// take adds a posting to what was found.
func (f *finder) take(p *posting) {
	more := make([]ranking.Hit, len(p.rows))
	for i, row := range p.rows {
		more[i] = ranking.HitOf(row>>placeBits, row&(1<<placeBits-1), len(f.lists))
	}
	f.found, f.lists = append(f.found, more), append(f.lists, ranking.List{Word: p.word, Weight: p.weight(f.total)})
	f.index.read(p.stems)
}

// merged is what was found for a question of some words.
func (f *finder) merged(words int) ranking.Hits {
	f.found = [][]ranking.Hit{ranking.Merge(f.found...)}
	return ranking.Hits{All: f.found[0], Lists: f.lists, Words: words}
}

// here are the entries that are in the places, with the numbers of their messages for the ids.
func (f *finder) here(rows []int64) []int64 {
	here := make([]int64, 0, len(rows))
	for _, row := range rows {
		if n := f.order.number(row >> placeBits); n > 0 {
			here = append(here, n<<placeBits|row&(1<<placeBits-1))
		}
	}
	return here
}
