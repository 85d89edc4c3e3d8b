package playbook

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

func keptIDs(kept []Candidate) (out []string) {
	for _, c := range kept {
		out = append(out, c.ID)
	}
	return out
}

func TestResolve(t *testing.T) {
	c := func(id string, priority int, f func(*Candidate)) Candidate {
		x := Candidate{ID: id, Priority: priority, Relevance: 1, Matched: true}
		if f != nil {
			f(&x)
		}
		return x
	}
	for name, test := range map[string]struct {
		all  []Candidate
		kept []string
		why  map[string]Reason
	}{
		"all met":              {[]Candidate{c("a", 1, func(x *Candidate) { x.All = []string{"b", "c"} }), c("b", 0, nil), c("c", 0, nil)}, []string{"a", "b", "c"}, nil},
		"all unmet":            {[]Candidate{c("a", 1, func(x *Candidate) { x.All = []string{"b", "c"} }), c("b", 0, nil)}, []string{"b"}, map[string]Reason{"a": UnmetDependency}},
		"any met":              {[]Candidate{c("a", 1, func(x *Candidate) { x.Any = []string{"b", "c"} }), c("b", 0, nil)}, []string{"a", "b"}, nil},
		"any unmet":            {[]Candidate{c("a", 1, func(x *Candidate) { x.Any = []string{"b", "c"} })}, nil, map[string]Reason{"a": UnmetDependency}},
		"chain unmet":          {[]Candidate{c("a", 0, func(x *Candidate) { x.All = []string{"b"} }), c("b", 0, func(x *Candidate) { x.All = []string{"c"} })}, nil, map[string]Reason{"a": UnmetDependency, "b": UnmetDependency}},
		"excludes":             {[]Candidate{c("a", 1, func(x *Candidate) { x.Excludes = []string{"b"} }), c("b", 0, nil)}, []string{"a"}, map[string]Reason{"b": Excluded}},
		"excludes an equal":    {[]Candidate{c("a", 0, nil), c("b", 0, func(x *Candidate) { x.Excludes = []string{"a"} })}, []string{"b"}, map[string]Reason{"a": Excluded}},
		"excluder outranked":   {[]Candidate{c("a", 0, func(x *Candidate) { x.Excludes = []string{"b"} }), c("b", 1, nil)}, []string{"b"}, map[string]Reason{"a": Outranked}},
		"entails":              {[]Candidate{c("a", 0, func(x *Candidate) { x.Entails = []string{"b"} }), c("b", 5, func(x *Candidate) { x.Matched = false })}, []string{"b", "a"}, nil},
		"entails none":         {[]Candidate{c("b", 5, func(x *Candidate) { x.Matched = false })}, nil, nil},
		"entails the excluder": {[]Candidate{c("a", 0, func(x *Candidate) { x.Entails = []string{"b"} }), c("b", 0, func(x *Candidate) { x.Matched = false; x.Excludes = []string{"c"} }), c("c", 0, nil)}, []string{"a", "b"}, map[string]Reason{"c": Excluded}},
		// d drops c, so a lacks its dependency, so e stands although a excludes it.
		"fallen excluder": {[]Candidate{c("a", 3, func(x *Candidate) { x.All = []string{"c"}; x.Excludes = []string{"e"} }),
			c("d", 2, func(x *Candidate) { x.Excludes = []string{"c"} }), c("c", 1, nil), c("e", 0, nil)},
			[]string{"d", "e"}, map[string]Reason{"a": UnmetDependency, "c": Excluded}},
	} {
		kept, _, dropped := Resolve(test.all)
		why := map[string]Reason{}
		for _, d := range dropped {
			why[d.ID] = d.Reason
		}
		if !slices.Equal(keptIDs(kept), test.kept) || len(why) != len(test.why) {
			t.Errorf("%s: kept %v, dropped %+v; want %v, %v", name, keptIDs(kept), dropped, test.kept, test.why)
		}
		for id, r := range test.why {
			if why[id] != r {
				t.Errorf("%s: %s dropped for %q, want %q", name, id, why[id], r)
			}
		}
	}
}

func randomRules(r *rand.Rand) []Candidate {
	n := 1 + r.IntN(12)
	some := func(p float64) (out []string) {
		for i := range n {
			if r.Float64() < p/float64(n) {
				out = append(out, fmt.Sprint("r", i))
			}
		}
		return out
	}
	all := make([]Candidate, n)
	for i := range all {
		all[i] = Candidate{ID: fmt.Sprint("r", i), Priority: r.IntN(3), Relevance: float64(r.IntN(3)) / 2, Order: i, Matched: r.IntN(4) > 0,
			All: some(0.5), Any: some(0.5), Excludes: some(1), Entails: some(0.7)}
	}
	return all
}

// Whatever the relations, the kept rules stand together, and nothing but the
// relations decides.
func TestResolveProperties(t *testing.T) {
	for seed := range uint64(5_000) {
		r := rand.New(rand.NewPCG(seed, 1))
		all := randomRules(r)
		kept, by, dropped := Resolve(all)
		in := map[string]bool{}
		for _, c := range kept {
			in[c.ID] = true
		}
		fail := func(format string, args ...any) {
			t.Helper()
			t.Fatalf("seed %d: %s\nall %+v\nkept %v\ndropped %+v", seed, fmt.Sprintf(format, args...), all, keptIDs(kept), dropped)
		}
		out := map[string]bool{}
		for _, d := range dropped {
			if in[d.ID] || d.Reason == "" || d.Detail == "" {
				fail("%s kept and dropped, or without a reason", d.ID)
			}
			out[d.ID] = true
		}
		for _, c := range all {
			if c.Matched && !in[c.ID] && !out[c.ID] {
				fail("%s vanished without a reason", c.ID)
			}
		}
		for _, c := range kept {
			for _, id := range c.Excludes {
				if in[id] && id != c.ID {
					fail("%s stands beside %s, which it excludes", c.ID, id)
				}
			}
			if (&resolution{in: in}).unmet(&c) != "" {
				fail("%s stands without what it depends on", c.ID)
			}
			if !c.Matched && !in[by[c.ID]] {
				fail("%s came in through %q, which does not apply", c.ID, by[c.ID])
			}
		}
		if !slices.IsSortedFunc(kept, rank) {
			fail("not ranked")
		}
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		if again, _, d := Resolve(all); !slices.Equal(keptIDs(again), keptIDs(kept)) || !reflect.DeepEqual(d, dropped) {
			fail("another order gives %v, %+v", keptIDs(again), d)
		}
	}
}
