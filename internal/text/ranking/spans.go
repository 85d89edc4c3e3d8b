package ranking

import (
	"cmp"
	"slices"
)

// maxTried bounds how many messages that an index named are examined.
const maxTried = 4000

// Hit is a message that an index names for a word of the question.
type Hit struct {
	ID     int64
	Word   int // its place among the question's words
	Weight float64
}

// span is a message around which something is said.
type span struct {
	id    int64
	score float64
}

// Spans returns the messages with the most of the asked words, the best first, of equal
// ones the latest. Hits must be sorted by ID.
func Spans(hits []Hit, words int) []int64 {
	var all []span
	best := make([]float64, words)
	for i, h := range hits {
		if i == 0 || h.ID != hits[i-1].ID {
			clear(best)
			all = append(all, span{id: h.ID})
		}
		if more := h.Weight - best[h.Word]; more > 0 {
			best[h.Word] = h.Weight
			all[len(all)-1].score += more
		}
	}
	slices.SortFunc(all, func(a, b span) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.id, a.id)) })
	ids := []int64{}
	for _, s := range all[:min(len(all), maxTried)] {
		ids = append(ids, s.id)
	}
	return ids
}

// Dice returns how much two sets have in common: 2·|a∩b| / (|a|+|b|), from 0 to 1.
func Dice(a, b map[string]bool) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	common := 0
	for w := range a {
		if b[w] {
			common++
		}
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}

// Trigrams returns the three-letter pieces of a word with its ends marked, for
// words that differ by a slip.
func Trigrams(word string) map[string]bool {
	r := []rune(" " + word + " ")
	set := map[string]bool{}
	for i := 0; i+3 <= len(r); i++ {
		set[string(r[i:i+3])] = true
	}
	return set
}
