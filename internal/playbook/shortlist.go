package playbook

import (
	"math"
	"slices"
	"strings"

	"parley/internal/text"
)

// index finds, among the rules that only a model can judge, those that share words
// with a message.
type index struct {
	postings map[string][]int // word -> orders of guidelines
	weight   map[string]float64
}

func newIndex(rules []Guideline) index {
	x := index{map[string][]int{}, map[string]float64{}}
	n := 0
	for i := range rules {
		if !rules[i].when.Judged() {
			continue
		}
		n++
		for _, w := range words(rules[i].Condition) {
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

// stop words say nothing about the subject.
var stop = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`a an and any are as at be been by can could customer did do does for from had has have he her him his how i if
		in into is it its me mention mentions message my no not of on or our out person s she should so someone t that the their them then
		there they this to up us user user's was we were what when where which who why will with would you your asks ask says say about
		extract usually like`) {
		m[w] = true
	}
	return m
}()

// words lists the distinct words of a text that carry meaning, cut to a crude
// stem, in order.
func words(s string) []string {
	var out []string
	for w := range text.Words(s) {
		if stop[w] {
			continue
		}
		if r := []rune(w); len(r) > 5 {
			w = string(r[:5])
		} else if len(r) > 3 {
			w = strings.TrimSuffix(w, "s")
		}
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}
