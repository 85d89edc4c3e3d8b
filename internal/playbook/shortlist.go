package playbook

import (
	"math"

	"parley/internal/playbook/saying"
)

// index finds, among the rules that only a model can judge, those that share words
// with a message.
type index struct {
	postings map[string][]int // word -> orders of guidelines
	weight   map[string]float64
}

func newIndex(rules []*Guideline) index {
	x := index{map[string][]int{}, map[string]float64{}}
	n := 0
	for i, g := range rules {
		if !g.when.Judged() {
			continue
		}
		n++
		for _, w := range saying.Words(g.Condition) {
			x.postings[w] = append(x.postings[w], i)
		}
	}
	for w, list := range x.postings {
		x.weight[w] = math.Log(1 + float64(n)/float64(len(list)))
	}
	return x
}

// scores gives each guideline that shares a word with the text the summed
// rarity of what it shares.
func (x index) scores(words []string) map[int]float64 {
	out := map[int]float64{}
	for _, w := range words {
		for _, i := range x.postings[w] {
			out[i] += x.weight[w]
		}
	}
	return out
}
