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
	Place  int64 // where it was said
	Word   int   // its place among the question's words
	Weight float64
}

// span is a message around which something is said.
type span struct {
	id    int64
	score float64
}

// Spans returns the messages with the most of the asked words in and around them, the best
// first, of equal ones the latest. Hits must be sorted by ID; apart is by how many IDs, about,
// messages of a place that follow each other differ, 1 where it says nothing.
func Spans(hits []Hit, words int, apart map[int64]float64) []int64 {
	all, most, back := each(hits, words), make([]float64, words), slices.Clone(hits)
	for _, h := range hits {
		most[h.Word] = max(most[h.Word], h.Weight)
	}
	hear(all, hits, most, apart)
	slices.Reverse(all)
	slices.Reverse(back)
	hear(all, back, most, apart)
	all = top(all, maxTried)
	slices.SortFunc(all, func(a, b span) int { return -a.compare(b) })
	ids := []int64{}
	for _, s := range all {
		ids = append(ids, s.id)
	}
	return ids
}

// Least is the score that a message needs to be one of the best n; 0 if there are fewer.
func Least(hits []Hit, words, n int) float64 {
	all := each(hits, words)
	slices.Reverse(all) // of equal ones the latest stay
	if all = top(all, n); len(all) == n {
		return all[0].score
	}
	return 0
}

// Merge merges lists of hits that are sorted by ID. It may return one of them.
func Merge(lists ...[]Hit) []Hit {
	switch len(lists) {
	case 0:
		return nil
	case 1:
		return lists[0]
	}
	a, b := Merge(lists[:len(lists)/2]...), Merge(lists[len(lists)/2:]...)
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	all := make([]Hit, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].ID <= b[0].ID {
			all, a = append(all, a[0]), a[1:]
		} else {
			all, b = append(all, b[0]), b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// each returns the messages of hits, sorted as these are. Of each word a message counts the
// hit that weighs most.
func each(hits []Hit, words int) []span {
	all, best := make([]span, 0, len(hits)), make([]float64, words)
	for len(hits) > 0 {
		one := span{id: hits[0].ID}
		to := 0
		for ; to < len(hits) && hits[to].ID == one.id; to++ {
			if more := hits[to].Weight - best[hits[to].Word]; more > 0 {
				best[hits[to].Word] = hits[to].Weight
				one.score += more
			}
		}
		for _, h := range hits[:to] {
			best[h.Word] = 0
		}
		all, hits = append(all, one), hits[to:]
	}
	return all
}

// top returns the best n messages as a heap, the worst of them first.
func top(all []span, n int) (heap []span) {
	for _, one := range all {
		switch {
		case len(heap) < n:
			heap = append(heap, one)
			rise(heap)
		case one.compare(heap[0]) > 0:
			heap[0] = one
			sink(heap)
		}
	}
	return heap
}

// compare orders messages: the better, then the later, is more.
func (s span) compare(t span) int {
	return cmp.Or(cmp.Compare(s.score, t.score), cmp.Compare(s.id, t.id))
}

// rise puts the last of a heap into its place.
func rise(heap []span) {
	for i := len(heap) - 1; i > 0 && heap[i].compare(heap[(i-1)/2]) < 0; i = (i - 1) / 2 {
		heap[i], heap[(i-1)/2] = heap[(i-1)/2], heap[i]
	}
}

// sink puts the first of a heap into its place.
func sink(heap []span) {
	for i := 0; ; {
		least := i
		for _, k := range []int{2*i + 1, 2*i + 2} {
			if k < len(heap) && heap[k].compare(heap[least]) < 0 {
				least = k
			}
		}
		if least == i {
			return
		}
		heap[i], heap[least] = heap[least], heap[i]
		i = least
	}
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
