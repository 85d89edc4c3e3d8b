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
	kinship   = 0.4   // a related word, against the word itself
	ofSitting = 0.3   // of the mean of the sitting's three best
	bySpeaker = 2.5   // said by whom the question names
	inPeriod  = 1.5   // said in the month or year the question names
	halfWords = 16    // words with which a message counts half as much as a long one
	leastSaid = 0.001 // of a message that says nothing of what is asked
)

// nearby is what a word counts for that was said three messages before, two,
// one, in the message itself, one after, and so on: an answer follows the words
// it answers, and is taken up by the next.
var nearby = []float64{0.15, 0.35, 0.5, 1, 0.4, 0.2, 0.1}

// telling is what a message says of what is asked.
type telling struct {
	words  []float64 // how much of each asked word
	length int
}

func (a asked) telling(text string) telling {
	t := telling{words: make([]float64, a.words)}
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), notWord) {
		t.length++
		for _, k := range a.kin[stem(w)] {
			t.words[k.word] = max(t.words[k.word], k.share)
		}
	}
	return t
}

// rank orders messages, which come in the order they were said in, by what they
// and their neighbours say of what is asked. It is nothing if none says a word.
func rank(found []Passage, a asked) []Passage {
	said := make([]telling, len(found))
	at := sittings(found)
	for i, p := range found {
		said[i] = a.telling(p.content)
	}
	rare := rarity(said, a.words)
	for i := range found {
		found[i].Score = window(said, at, i, rare)
	}
	mean, top := bestOf(found, at), 0.0
	if len(found) == 0 || slices.Max(mean) == 0 {
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
		for w, n := range t.words {
			rare[w] += n
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
	sum := 0.0
	for w, r := range rare {
		best := 0.0
		for d, share := range nearby {
			if j := i + d - len(nearby)/2; j >= 0 && j < len(said) && at[j] == at[i] {
				best = max(best, share*said[j].words[w])
			}
		}
		sum += best * r
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
	f := float64(max(t.length, 1)) / float64(t.length+halfWords)
	if slices.ContainsFunc(strings.Fields(strings.ToLower(p.name)), func(n string) bool { return slices.Contains(a.speakers, n) }) {
		f *= bySpeaker
	}
	if a.period(p.At) {
		f *= inPeriod
	}
	return f
}
