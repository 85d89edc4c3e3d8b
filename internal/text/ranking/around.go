package ranking

import (
	"iter"
	"math"
	"slices"
)

// What is said around a message, in a place too big to be read: one word is often said there,
// many of the question's in one talk rarely.
const (
	fading  = 0.9 // of a word from one message to the next
	reach   = 8   // messages before and after one that count
	enough  = 6.0 // times that a word counts around a message, at most
	context = 0.3 // of the weights of words around a hit, against those in it
)

// around returns how much of what is asked is said in the i-th message and in those around it
// in its session, words that are said again and again several times: up to enough.
func (t *talk) around(i int) (sum float64) {
	var few [16]float64
	said := append(few[:0], make([]float64, len(t.rare))...)
	count := func(step int) {
		for j, worth := i+step, fading; worth > fade[reach+1] && j >= 0 && j < len(t.said) && t.at[j] == t.at[i]; j += step {
			for _, s := range t.said[j].shares {
				said[s.word] += worth * s.share
			}
			worth *= fading
		}
	}
	for _, s := range t.said[i].shares {
		said[s.word] = s.share
	}
	count(-1)
	count(1)
	for w, n := range said {
		sum += t.rare[w] * min(n, enough)
	}
	return sum
}

// What a message gains from a better one close by in its session.
const (
	beside     = 3   // messages before and after one
	perGap     = 0.5 // that the better one counts less for each message between
	lifted     = 0.3 // of what it is better
	liftedMany = 0.5 // of that in a place too big to be read
)

// lift raises scores by a part of what a better one close by is better: what one person asks
// and another answers is found together, where single messages say the same words by chance.
func (t *talk) lift(scores []float64, part float64) {
	was := slices.Clone(scores)
	for i := range scores {
		best := was[i]
		for j := max(0, i-beside); j <= min(i+beside, len(was)-1); j++ {
			if t.at[j] == t.at[i] {
				best = max(best, was[j]-perGap*math.Abs(float64(j-i)))
			}
		}
		scores[i] += part * (best - was[i])
	}
}

// fade is what is left of a word some messages later.
var fade = func() (left [64]float64) {
	left[0] = 1
	for i := 1; i < len(left); i++ {
		left[i] = left[i-1] * fading
	}
	return left
}()

// echo is what is still in the air of the words of hits: said lately in one place.
type echo struct {
	sum   float64   // of words
	words []float64 // each, when it was said last
	heard []int64   // then
	last  int64     // number of the last message with a hit
	apart float64   // numbers from one message of the place to the next
}

// left returns what is left at one number of what was said at another.
func (e *echo) left(at, then int64) float64 {
	n := float64(max(at-then, then-at))/e.apart + 0.5
	if n >= float64(len(fade)) {
		return 0
	}
	return fade[int(n)]
}

// hear adds to the scores of messages what the hits heard before them say, in each place by
// itself.
func (h Hits) hear(order iter.Seq2[int, span], all []span, most []float64, apart map[int64]float64) {
	places := map[int64]*echo{}
	var e *echo
	place := int64(-1)
	for n, one := range order {
		to := len(h.All)
		if n+1 < len(all) {
			to = all[n+1].from
		}
		if p := h.All[one.from].place(); p != place {
			if e, place = places[p], p; e == nil {
				e = &echo{words: make([]float64, h.Words), heard: make([]int64, h.Words), apart: max(1, apart[p])}
				places[p] = e
			}
		}
		e.sum *= e.left(one.number, e.last)
		e.last = one.number
		all[n].score += context * max(e.sum, 0) // rounding may leave less than nothing
		for _, hit := range h.All[one.from:to] {
			l := h.list(hit)
			was := e.words[l.Word] * e.left(one.number, e.heard[l.Word])
			e.words[l.Word], e.heard[l.Word] = min(was+l.Weight, enough/2*most[l.Word]), one.number
			e.sum += e.words[l.Word] - was
		}
	}
}
