package ranking

import (
	"slices"
	"strings"
)

// maxParts is how many questions of one text are answered by themselves.
const maxParts = 4

// minTelling is how many telling words a sentence needs to be a question by itself.
const minTelling = 2

// Parts splits a text into the questions it asks, each with what leads to it: at least one.
func Parts(text string) (list []string) {
	rest := ""
	for _, s := range strings.SplitAfter(strings.ReplaceAll(text, "？", "?"), "?") {
		switch own := len(TermsUpTo(s, minTelling)) == minTelling; {
		case own && strings.HasSuffix(s, "?"):
			list, rest = append(list, rest+s), ""
		case len(list) > 0 && rest == "" && !own:
			list[len(list)-1] += s
		default:
			rest += s
		}
	}
	if rest != "" && len(list) > 0 {
		list[len(list)-1] += rest
	}
	if len(list) < 2 || len(list) > maxParts {
		return []string{text}
	}
	return list
}

// inTurn takes from several rankings of the same messages in turn, each message once.
func inTurn(orders [][]Ranked) []Ranked {
	orders = slices.DeleteFunc(orders, func(o []Ranked) bool { return len(o) == 0 })
	if len(orders) < 2 {
		return slices.Concat(orders...)
	}
	mixed, taken := make([]Ranked, 0, len(orders[0])), make([]bool, len(orders[0]))
	for n := 0; len(mixed) < len(taken); n++ {
		for i, left := range orders {
			for len(left) > 0 && taken[left[0].Index] {
				left = left[1:]
			}
			if orders[i] = left; len(left) > 0 {
				mixed, taken[left[0].Index] = append(mixed, left[0]), true
			}
		}
	}
	for i := len(mixed) - 2; i >= 0; i-- {
		mixed[i].Score = max(mixed[i].Score, mixed[i+1].Score)
	}
	return mixed
}

// Alternate takes from several lists in turn, each value once.
func Alternate(lists [][]int64) []int64 {
	if len(lists) == 1 {
		return lists[0]
	}
	mixed, taken := []int64{}, map[int64]bool{}
	for n, more := 0, true; more; n++ {
		more = false
		for _, list := range lists {
			if n < len(list) {
				if more = true; !taken[list[n]] {
					mixed, taken[list[n]] = append(mixed, list[n]), true
				}
			}
		}
	}
	return mixed
}

// repeats lists the messages in which one person says the same words: by place, two or more
// each.
func repeats(list []Message) (same [][]int) {
	type said struct{ name, text string }
	at := make(map[said][]int, len(list))
	for i, m := range list {
		k := said{m.Name, m.Text}
		at[k] = append(at[k], i)
	}
	for _, places := range at {
		if len(places) > 1 {
			same = append(same, places)
		}
	}
	return same
}

// once lowers the scores of what is said again behind the best of each: what is left of a
// budget goes to other words first.
func once(scores []float64, same [][]int) {
	for _, places := range same {
		some := make([]float64, len(places))
		for n, at := range places {
			some[n] = scores[at]
		}
		for n, r := range sorted(some) {
			scores[places[r.Index]] += again * float64(n)
		}
	}
}
