package ranking

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Of messages that say as much of the question, that comes first around which the same place
// says more of it, wherever that stands among the messages of other places.
func TestSpansAreAmidTheirTalk(t *testing.T) {
	hit := HitOf
	lists := []List{{Word: 0, Weight: 1}, {Word: 1, Weight: 1}}
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
		if got := (Hits{c.hits, lists, 2}).Spans(c.apart); got[0] != c.first {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The best messages are the same however their hits came together, and of equal ones the
// latest come first.
func TestSpansAreTheBest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	sum, hits := map[int64]float64{}, Hits{Words: 5}
	for word := range hits.Words {
		strong, weak := len(hits.Lists), len(hits.Lists)+1
		hits.Lists = append(hits.Lists, List{word, float64(1 + word)}, List{word, 0.5})
		var list []Hit
		for id := range int64(6000) {
			if r.IntN(4) == 0 {
				list, sum[id] = append(list, HitOf(id, id, strong)), sum[id]+hits.Lists[strong].Weight
			}
		}
		first := list[0]
		weaker := []Hit{HitOf(first.number(), first.place(), weak)} // a synonym beside the word adds nothing
		hits.All = Merge(hits.All, Merge(weaker, list))
	}
	if !slices.IsSorted(hits.All) {
		t.Fatal("hits are not sorted")
	}
	spans := hits.Spans(nil)
	for i, id := range spans[1:] {
		before := spans[i]
		if sum[id] > sum[before] || sum[id] == sum[before] && id > before {
			t.Fatalf("%d with %v comes after %d with %v", id, sum[id], before, sum[before])
		}
	}
	if len(spans) != maxTried {
		t.Errorf("%d are named", len(spans))
	}
	if got := hits.Least(10); got != sum[spans[9]] {
		t.Errorf("the tenth has %v, want %v", got, sum[spans[9]])
	}
	if got := hits.Least(10_000); got != 0 {
		t.Errorf("of too few the least is %v", got)
	}
}

// TestEchoFades: the longer ago, the less is left, down to nothing.
func TestEchoFades(t *testing.T) {
	e := &echo{apart: 2}
	last := 2.0
	for ago := range int64(2*len(fade) + 4) {
		if left := e.left(ago, 0); left > last || ago == 0 && left != 1 {
			t.Errorf("%v is left after %d, %v before", left, ago, last)
		} else {
			last = left
		}
	}
	if last != 0 {
		t.Errorf("%v stays", last)
	}
}
