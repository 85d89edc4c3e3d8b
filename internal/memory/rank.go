package memory

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// What a message counts for beyond its own words. The figures are round:
// recall hardly changes when one of them does by half.
const (
	kinship   = 0.45 // a related word, against the word itself
	ofSitting = 0.45 // of the mean of the sitting's three best
	bySpeaker = 4    // said by whom the question is about
	byOther   = 2    // said by another whom it names
	inPeriod  = 2.5  // said in the month or year the question names, or on the day
	withTime  = 1.8  // has a word of time, if it is asked when
	withCount = 2    // has a number, if it is asked how many
	asking    = 0.45 // is itself a question
	halfWords = 10   // words with which a message counts half as much as a long one
	halfNews  = 30   // the same for what its words tell, in nats
	leastSaid = 0.3  // of a message that says nothing of what is asked
)

// nearby is what a word counts for that was said two messages before, one, in
// the message itself, one after and two: an answer follows the words it answers,
// and is taken up by the next. What is answered counts like the answer.
var nearby = []float64{0.5, 0.5, 1, 0.35, 0.1}

const answered = 1.0

// rank orders messages, which come in the order they were said in, by what they
// and their neighbours say of what is asked. It is nothing if none says a word.
func rank(found []Passage, a asked) []Passage {
	said, at := a.read(found), sittings(found)
	rare := rarity(said, a.words)
	for i := range found {
		found[i].Score = window(said, at, i, rare)
	}
	mean, top := bestOf(found, at), 0.0
	if len(found) == 0 || slices.Max(mean) == 0 && !a.dated() {
		return nil
	}
	for i := range found {
		p := &found[i]
		p.Score = (p.Score + ofSitting*mean[at[i]] + leastSaid) * a.favour(*p, said[i])
		top = max(top, p.Score)
	}
	order := make([]int, len(found)) // numbers are moved sooner than passages
	for i := range found {
		found[i].Score /= top
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(found[b].Score, found[a].Score), cmp.Compare(a, b)) })
	best := make([]Passage, len(found))
	for i, at := range order {
		best[i] = found[at]
	}
	return best
}

// rarity is how much each asked word tells: the fewer say it, the more.
func rarity(said []telling, words int) []float64 {
	rare := make([]float64, words)
	for _, t := range said {
		for _, s := range t.shares {
			rare[s.word] += s.share
		}
	}
	for w, n := range rare {
		rare[w] = math.Log(1 + (float64(len(said))-n+0.5)/(n+0.5))
	}
	return rare
}

// window is what the i-th message and those around it in its sitting say: of
// each word only where it counts most, so that many words beat one said often.
func window(said []telling, at []int, i int, rare []float64) float64 {
	var few [16]float64
	best := append(few[:0], make([]float64, len(rare))...)
	for d, near := range nearby {
		j := i + d - len(nearby)/2
		if j < 0 || j >= len(said) || at[j] != at[i] {
			continue
		}
		if j == i-1 && said[j].asks > 0 && said[j].name != said[i].name {
			near = answered
		}
		for _, s := range said[j].shares {
			best[s.word] = max(best[s.word], near*s.share)
		}
	}
	sum := 0.0
	for w, r := range rare {
		sum += best[w] * r
	}
	return sum
}

// sittings numbers the sittings: the same place, and no long silence.
func sittings(found []Passage) []int {
	at := make([]int, len(found))
	for i := 1; i < len(found); i++ {
		at[i] = at[i-1]
		if before := found[i-1]; before.Key != found[i].Key || found[i].At.Sub(before.At) > sitting {
			at[i]++
		}
	}
	return at
}

// bestOf is the mean of the three best scores of each sitting.
func bestOf(found []Passage, at []int) []float64 {
	best := make([][3]float64, len(found))
	for i, p := range found {
		if b := &best[at[i]]; p.Score > b[0] {
			b[0] = p.Score
			slices.Sort(b[:])
		}
	}
	mean := make([]float64, len(found))
	for i, b := range best {
		mean[i] = (b[0] + b[1] + b[2]) / 3
	}
	return mean
}

// favour is what speaks for a message whatever its words are about.
func (a asked) favour(p Passage, t telling) float64 {
	f := float64(max(t.length, 1)) / float64(t.length+halfWords) * max(t.news, 1) / (t.news + halfNews)
	for n := range strings.FieldsSeq(strings.ToLower(p.name)) {
		switch slices.Index(a.speakers, n) {
		case -1:
		case 0:
			f *= bySpeaker
		default:
			f *= byOther
		}
	}
	if a.when && t.time {
		f *= withTime
	}
	if a.count && t.number {
		f *= withCount
	}
	return f * a.period(p.At) * (1 - (1-asking)*t.asks)
}
