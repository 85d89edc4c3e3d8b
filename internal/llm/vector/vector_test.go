package vector

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func random(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// near returns a vector around v.
func near(r *rand.Rand, v []float32, noise float64) []float32 {
	w := slices.Clone(v)
	for i := range w {
		w[i] += float32(noise * r.NormFloat64())
	}
	return w
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab, aa, bb = ab+float64(a[i])*float64(b[i]), aa+float64(a[i])*float64(a[i]), bb+float64(b[i])*float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

func TestCosineSurvivesStorage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 3, 64, 383, 1536} {
		for _, noise := range []float64{0, 0.5, 2, 10} {
			a := random(r, n)
			b := near(r, a, noise)
			if got, want := Of(a).Cos(Of(b)), cosine(a, b); math.Abs(got-want) > 0.01 {
				t.Errorf("%d dimensions: %.4f, want %.4f", n, got, want)
			}
		}
	}
}

func TestWhatIsNoVector(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, v := range [][]float32{nil, {}, {0, 0}, {nan, 1}, {1, nan}, {inf, 1}} {
		if got := Of(v); got != nil {
			t.Errorf("%v became %v", v, got)
		}
	}
	some := Of([]float32{1, 2})
	for _, v := range []Vector{nil, {}, {1, 2}, Of([]float32{1, 2, 3})} {
		if some.Cos(v) != 0 || v.Cos(some) != 0 {
			t.Errorf("%v is near", v)
		}
	}
}

// The sketches must keep what is near among the candidates: those that are
// looked at closely are a fiftieth.
func TestSketchKeepsTheNearest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const all, dims, candidates, wanted = 20_000, 384, 400, 20
	var vectors []Vector
	var topics [][]float32
	for range 50 {
		topics = append(topics, random(r, dims))
	}
	for i := range all {
		vectors = append(vectors, Of(near(r, topics[i%len(topics)], 1.5)))
	}
	kept, want := 0, 0
	for range 20 {
		q := Of(near(r, topics[r.IntN(len(topics))], 1.5))
		exact := make([]Near, all)
		rough := make([]Near, all)
		sketch := q.Sketch(nil)
		for i, v := range vectors {
			exact[i] = Near{int64(i), q.Cos(v)}
			rough[i] = Near{int64(i), -float64(Differ(sketch, v.Sketch(nil)))}
		}
		slices.SortFunc(rough, func(a, b Near) int { return int(b.Cos - a.Cos) })
		for _, id := range Nearest(exact, wanted) {
			want++
			if slices.ContainsFunc(rough[:candidates], func(x Near) bool { return x.ID == id }) {
				kept++
			}
		}
	}
	if float64(kept) < 0.98*float64(want) || want == 0 {
		t.Errorf("%d of %d are among the candidates", kept, want)
	}
}

func TestNearest(t *testing.T) {
	list := []Near{{1, 0.5}, {2, 0.9}, {3, 0.8}, {4, 0.69}, {5, 0.1}}
	if got := Nearest(list, 10); !slices.Equal(got, []int64{2, 3}) {
		t.Errorf("%v", got)
	}
	if got := Nearest(list, 1); !slices.Equal(got, []int64{2}) {
		t.Errorf("one: %v", got)
	}
	if got := Nearest([]Near{{1, 0.2}, {2, 0.1}}, 5); got != nil {
		t.Errorf("what has nothing in common: %v", got)
	}
}

func TestFuse(t *testing.T) {
	s := Fuse([]int64{1, 2, 3}, []int64{3, 4})
	order := []int64{3, 1, 2, 4}
	slices.SortFunc(order, func(a, b int64) int { return int(math.Copysign(1, s[b]-s[a])) })
	if !slices.Equal(order, []int64{3, 1, 2, 4}) || s[3] > 1 || s[1] <= s[4] {
		t.Errorf("%v", s)
	}
	if s := Fuse([]int64{7}, []int64{7}); s[7] < 0.999 || s[7] > 1 {
		t.Errorf("first in both: %v", s)
	}
	if s := Fuse([]int64{1}, []int64{2}); s[1] <= s[2] {
		t.Errorf("a tie is not the first list's: %v", s)
	}
}

func TestQueryWaitsForSoLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		slow := Embed(func(ctx context.Context, _ []string) ([][]float32, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		if v := slow.Query(t.Context(), "x"); v != nil || time.Since(began) != patience {
			t.Errorf("%v after %v", v, time.Since(began))
		}
		broken := Embed(func(context.Context, []string) ([][]float32, error) { return nil, errors.New("down") })
		if v := broken.Query(t.Context(), "x"); v != nil {
			t.Errorf("%v of a broken one", v)
		}
	})
}

func BenchmarkCos1536(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	v, w := Of(random(r, 1536)), Of(random(r, 1536))
	for b.Loop() {
		v.Cos(w)
	}
}

func BenchmarkDiffer1536(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	v, w := Of(random(r, 1536)).Sketch(nil), Of(random(r, 1536)).Sketch(nil)
	for b.Loop() {
		Differ(v, w)
	}
}
