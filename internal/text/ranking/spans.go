package ranking

import (
	"cmp"
	"iter"
	"slices"
	"sync"
)

// maxTried bounds how many messages that an index named are examined.
const maxTried = 4000

// Hit is a message that an index names for one of the lists of a question: its number, its
// place, and the list. Sorted, hits are in the order of the messages.
type Hit uint64

const (
	listBits  = 8  // of a hit
	placeBits = 20 // above them
	// MaxLists is how many lists a question may have.
	MaxLists = 1 << listBits
)

// HitOf takes a message's number, below 1<<35, its place, below 1<<20, and a list.
func HitOf(number, place int64, list int) Hit {
	return Hit(number<<placeBits|place)<<listBits | Hit(list)
}

func (h Hit) number() int64 { return int64(h >> (placeBits + listBits)) }
func (h Hit) place() int64  { return int64(h>>listBits) & (1<<placeBits - 1) }

// List is what the hits of a list are for.
type List struct {
	Word   int // its place among the question's words
	Weight float64
}

// Hits are sorted.
type Hits struct {
	All   []Hit
	Lists []List
	Words int // of the question
}

func (h Hits) list(one Hit) List { return h.Lists[one&(MaxLists-1)] }

// span is a message around which something is said, and where its hits begin.
type span struct {
	number int64
	score  float64
	from   int
}

// Spans returns the numbers of the messages with the most of the asked words in and around them,
// the best first, of equal ones the latest. Apart is by how much, about, the numbers of messages
// of a place that follow each other differ, 1 where it says nothing.
func (h Hits) Spans(apart map[int64]float64) []int64 {
	scratch := spare.Get().(*[]span)
	defer spare.Put(scratch)
	*scratch = slices.AppendSeq(slices.Grow((*scratch)[:0], len(h.All)), h.each())
	all, most := *scratch, h.heaviest()
	h.hear(slices.All(all), all, most, apart)
	h.hear(slices.Backward(all), all, most, apart)
	all = top(all, maxTried)
	numbers := make([]int64, len(all))
	for i, s := range all {
		numbers[i] = s.number
	}
	return numbers
}

// spare has the messages of questions before, whose room the next one uses.
var spare = sync.Pool{New: func() any { return new([]span) }}

// heaviest is what each word of the question weighs in a hit, at most.
func (h Hits) heaviest() []float64 {
	most := make([]float64, h.Words)
	for _, l := range h.Lists {
		most[l.Word] = max(most[l.Word], l.Weight)
	}
	return most
}

// Least is the score that a message needs to be one of the best n; 0 if there are fewer.
func (h Hits) Least(n int) float64 {
	best := make([]float64, 0, n)
	for one := range h.each() {
		switch {
		case len(best) < n:
			best = append(best, one.score)
			rise(best)
		case one.score > best[0]:
			best[0] = one.score
			sink(best)
		}
	}
	if len(best) < n {
		return 0
	}
	return best[0]
}

// Merge merges lists of sorted hits. It may return one of them.
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
		if a[0] <= b[0] {
			all, a = append(all, a[0]), a[1:]
		} else {
			all, b = append(all, b[0]), b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// each yields the messages of hits, in their order. Of each word a message counts the hit that
// weighs most.
func (h Hits) each() iter.Seq[span] {
	return func(yield func(span) bool) {
		best := make([]float64, h.Words)
		for from, to := 0, 0; from < len(h.All); from = to {
			one := span{number: h.All[from].number(), from: from}
			for ; to < len(h.All) && h.All[to].number() == one.number; to++ {
				l := h.list(h.All[to])
				if more := l.Weight - best[l.Word]; more > 0 {
					best[l.Word] = l.Weight
					one.score += more
				}
			}
			for _, hit := range h.All[from:to] {
				best[h.list(hit).Word] = 0
			}
			if !yield(one) {
				return
			}
		}
	}
}

// top returns the best n messages, the best first.
func top(all []span, n int) []span {
	n = min(n, len(all))
	if n == 0 {
		return nil
	}
	least, most := all[0].score, all[0].score
	for _, one := range all {
		least, most = min(least, one.score), max(most, one.score)
	}
	var many [1024]int
	step := func(one span) int { return int((one.score - least) / (most - least) * float64(len(many)-1)) }
	if most > least {
		for _, one := range all {
			many[step(one)]++
		}
		last, sum := len(many)-1, many[len(many)-1]
		for ; sum < n; sum += many[last] {
			last--
		}
		better := make([]span, 0, sum)
		for _, one := range all {
			if step(one) >= last {
				better = append(better, one)
			}
		}
		all = better
	}
	slices.SortFunc(all, func(a, b span) int { return b.compare(a) })
	return all[:n]
}

// compare orders messages: the better, then the later, is more.
func (s span) compare(t span) int {
	switch {
	case s.score < t.score:
		return -1
	case s.score > t.score:
		return 1
	}
	return cmp.Compare(s.number, t.number)
}

// rise puts the last of a heap, whose least is the first, into its place.
func rise(heap []float64) {
	for i := len(heap) - 1; i > 0 && heap[i] < heap[(i-1)/2]; i = (i - 1) / 2 {
		heap[i], heap[(i-1)/2] = heap[(i-1)/2], heap[i]
	}
}

// sink puts the first of a heap into its place.
func sink(heap []float64) {
	for i := 0; ; {
		least := i
		for _, k := range []int{2*i + 1, 2*i + 2} {
			if k < len(heap) && heap[k] < heap[least] {
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
