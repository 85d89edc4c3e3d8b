package recall

import (
	"cmp"
	"slices"
)

// Bounds of one look at what an index named.
const (
	maxTried = 4000 // messages named, seen or not
	reach    = 2    // ids that a message's neighbors are away, if nobody else wrote
)

// Hit is a message that an index names for a word of the question.
type Hit struct {
	ID     int64
	Word   int // its place among the question's words
	Weight float64
}

// span is a message, with its neighbors, around which something is said.
type span struct {
	id    int64
	score float64
}

// Spans are the messages around which the most of a number of words is said, the
// best first, none beside a better one. The hits come by ID.
func Spans(hits []Hit, words int) []int64 {
	all := scored(hits, words)
	var tops []span
	for i, s := range all {
		top := true
		for j := i - 1; top && j >= 0 && all[j].id >= s.id-reach; j-- {
			top = all[j].score < s.score
		}
		for j := i + 1; top && j < len(all) && all[j].id <= s.id+reach; j++ {
			top = all[j].score <= s.score
		}
		if top {
			tops = append(tops, s)
		}
	}
	slices.SortFunc(tops, func(a, b span) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.id, a.id)) })
	ids := []int64{}
	for _, s := range tops[:min(len(tops), maxTried)] {
		ids = append(ids, s.id)
	}
	return ids
}

// scored is what is said around each message that is hit, by id: of each word
// where it counts most.
func scored(hits []Hit, words int) []span {
	var all []span
	best := make([]float64, words)
	for i, from := 0, 0; i < len(hits); i++ {
		at := hits[i].ID
		if i > 0 && at == hits[i-1].ID {
			continue
		}
		for hits[from].ID < at-reach {
			from++
		}
		clear(best)
		for _, h := range hits[from:] {
			if h.ID > at+reach {
				break
			}
			if h.ID != at {
				h.Weight /= 2
			}
			best[h.Word] = max(best[h.Word], h.Weight)
		}
		sum := 0.0
		for _, b := range best {
			sum += b
		}
		all = append(all, span{at, sum})
	}
	return all
}
