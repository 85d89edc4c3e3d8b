package ranking

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The best messages are the same however their hits came together, and of equal ones the
// latest come first.
func TestSpansAreTheBest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	sum, hits := map[int64]float64{}, []Hit(nil)
	for word := range 5 {
		var list []Hit
		for id := range int64(6000) {
			if r.IntN(4) == 0 {
				h := Hit{ID: id, Word: word, Weight: float64(1 + word)}
				list, sum[id] = append(list, h), sum[id]+h.Weight
			}
		}
		weaker := []Hit{{ID: list[0].ID, Word: word, Weight: 0.5}} // a synonym beside the word adds nothing
		hits = Merge(hits, Merge(weaker, list))
	}
	if !slices.IsSortedFunc(hits, func(a, b Hit) int { return int(a.ID - b.ID) }) {
		t.Fatal("hits are not sorted by ID")
	}
	spans := Spans(hits, 5)
	for i, id := range spans[1:] {
		before := spans[i]
		if sum[id] > sum[before] || sum[id] == sum[before] && id > before {
			t.Fatalf("%d with %v comes after %d with %v", id, sum[id], before, sum[before])
		}
	}
	if got := Least(hits, 5, 10); got != sum[spans[9]] {
		t.Errorf("the tenth has %v, want %v", got, sum[spans[9]])
	}
	if got := Least(hits, 5, 10_000); got != 0 {
		t.Errorf("of too few the least is %v", got)
	}
}
