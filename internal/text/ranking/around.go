package ranking

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
	last  int64     // id of the last hit
	apart float64   // ids from one message of the place to the next
}

// left returns what is left at one id of what was said at another.
func (e *echo) left(at, then int64) float64 {
	n := float64(max(at-then, then-at)) / e.apart
	if n >= float64(len(fade)) {
		return 0
	}
	return fade[int(n+0.5)%len(fade)]
}

// hear adds to the scores of messages what the hits before them say, in each place by itself.
// Hits and messages are sorted alike.
func hear(all []span, hits []Hit, most []float64, apart map[int64]float64) {
	places := map[int64]*echo{}
	for n := range all {
		to := 0
		for to < len(hits) && hits[to].ID == all[n].id {
			to++
		}
		e := places[hits[0].Place]
		if e == nil {
			e = &echo{words: make([]float64, len(most)), heard: make([]int64, len(most)), apart: max(1, apart[hits[0].Place])}
			places[hits[0].Place] = e
		}
		e.sum *= e.left(all[n].id, e.last)
		e.last = all[n].id
		all[n].score += context * max(e.sum, 0) // rounding may leave less than nothing
		for _, h := range hits[:to] {
			was := e.words[h.Word] * e.left(h.ID, e.heard[h.Word])
			e.words[h.Word], e.heard[h.Word] = min(was+h.Weight, enough/2*most[h.Word]), h.ID
			e.sum += e.words[h.Word] - was
		}
		hits = hits[to:]
	}
}
