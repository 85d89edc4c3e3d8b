package ranking

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Of messages that say as much of the question, that comes first around which the same place
// says more of it, wherever that stands among the messages of other places.
func TestSpansAreAmidTheirTalk(t *testing.T) {
	hit := func(id, place int64, word int) Hit { return Hit{ID: id, Place: place, Word: word, Weight: 1} }
	for name, c := range map[string]struct {
		hits  []Hit
		apart map[int64]float64
		first int64
	}{
		"talk before and after": {[]Hit{hit(10, 1, 0), hit(12, 1, 1), hit(13, 1, 0), hit(900, 1, 1)}, nil, 12},
		"of another place":      {[]Hit{hit(10, 2, 0), hit(12, 1, 1), hit(13, 3, 0), hit(14, 4, 0), hit(900, 1, 1), hit(904, 1, 1)}, nil, 904},
		"long ago":              {[]Hit{hit(10, 1, 0), hit(100, 1, 0), hit(200, 1, 1)}, nil, 200},
		"in a busy bot":         {[]Hit{hit(100, 1, 0), hit(200, 1, 1), hit(9_000, 1, 1)}, map[int64]float64{1: 100}, 200},
	} {
		if got := Spans(c.hits, 2, c.apart); got[0] != c.first {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The best messages are the same however their hits came together, and of equal ones the
// latest come first.
func TestSpansAreTheBest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	sum, hits := map[int64]float64{}, []Hit(nil)
	for word := range 5 {
		var list []Hit
		for id := range int64(6000) {
			if r.IntN(4) == 0 {
				h := Hit{ID: id, Place: id, Word: word, Weight: float64(1 + word)}
				list, sum[id] = append(list, h), sum[id]+h.Weight
			}
		}
		weaker := []Hit{{ID: list[0].ID, Place: list[0].ID, Word: word, Weight: 0.5}} // a synonym beside the word adds nothing
		hits = Merge(hits, Merge(weaker, list))
	}
	if !slices.IsSortedFunc(hits, func(a, b Hit) int { return int(a.ID - b.ID) }) {
		t.Fatal("hits are not sorted by ID")
	}
	spans := Spans(hits, 5, nil)
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
