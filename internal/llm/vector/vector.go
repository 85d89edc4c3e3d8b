// Package vector compares texts by meaning: it knows the stored form of vectors, how
// near two of them are, and how to fuse a ranking by words with one by nearness. It is
// arithmetic: it makes no vector, calls no model and stores nothing.
package vector

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strings"
	"time"
)

// Embed turns texts into vectors, one per text, in order: llm.Embedder's one method. A
// text that the model refuses has a nil one. Whoever hands it out logs its failures;
// without a vector everything is found by words alone.
type Embed func(ctx context.Context, texts []string) ([][]float32, error)

// patience is how long a question waits for its vector.
const patience = 2 * time.Second

// asking is the key of contexts in which somebody waits for a vector.
type asking struct{}

// Asking reports whether a vector is made for a question, whose answer somebody
// waits for, and not for what is stored.
func Asking(ctx context.Context) bool { return ctx.Value(asking{}) != nil }

// Query returns the vector of what somebody asks, nil when there is none in time.
func (e Embed) Query(ctx context.Context, text string) Vector {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, asking{}, true), patience)
	defer cancel()
	list, err := e(ctx, []string{text})
	if err != nil || len(list) != 1 {
		return nil
	}
	return Of(list[0])
}

// Vector is a direction, as it is stored: four bytes that its parts are
// multiplied with to be of length one (a float32, little-endian), then a signed
// byte for each dimension. nil is none.
type Vector []byte

const head = 4

// Of makes a Vector of what a model gave; nil when that has no direction.
func Of(v []float32) Vector {
	most := 0.0
	for _, x := range v {
		most = max(most, math.Abs(float64(x))) // NaN stays NaN
	}
	if !(most > 0) || math.IsInf(most, 0) {
		return nil
	}
	out, sum := make(Vector, head+len(v)), 0.0
	for i, x := range v {
		part := math.Round(float64(x) / most * math.MaxInt8)
		out[head+i] = byte(int8(part))
		sum += part * part
	}
	binary.LittleEndian.PutUint32(out, math.Float32bits(float32(1/math.Sqrt(sum))))
	return out
}

// First returns the Vector of the first n dimensions, v itself if it has no more.
func (v Vector) First(n int) Vector {
	if len(v) <= head+n {
		return v
	}
	sum := 0.0
	for _, x := range v[head : head+n] {
		sum += float64(int8(x)) * float64(int8(x))
	}
	if sum == 0 {
		return nil
	}
	out := slices.Clone(v[:head+n])
	binary.LittleEndian.PutUint32(out, math.Float32bits(float32(1/math.Sqrt(sum))))
	return out
}

func (v Vector) scale() float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(v)))
}

// Cos returns the cosine of the angle between two vectors: 1 means the same, about 0
// nothing in common. It is 0 for vectors of different models.
func (v Vector) Cos(w Vector) float64 {
	if len(v) <= head || len(v) != len(w) {
		return 0
	}
	a, b := v[head:], w[head:]
	b = b[:len(a)]
	var s0, s1 int32 // two sums at once; 130,000 dimensions fit
	for ; len(a) >= 4 && len(b) >= 4; a, b = a[4:], b[4:] {
		s0 += int32(int8(a[0]))*int32(int8(b[0])) + int32(int8(a[1]))*int32(int8(b[1]))
		s1 += int32(int8(a[2]))*int32(int8(b[2])) + int32(int8(a[3]))*int32(int8(b[3]))
	}
	for i := range a {
		s0 += int32(int8(a[i])) * int32(int8(b[i]))
	}
	return float64(s0+s1) * v.scale() * w.scale()
}

// Words returns how many words the sketch of a Vector has.
func (v Vector) Words() int { return (max(len(v), head) - head + 63) / 64 }

// Sketch appends the signs of the parts to dst, a bit each. Where vectors are
// near, few of these differ: a tenth of the memory and of the time tells which
// ones are worth a closer look.
func (v Vector) Sketch(dst []uint64) []uint64 {
	at := len(dst)
	dst = append(dst, make([]uint64, v.Words())...)
	for i := head; i < len(v); i++ {
		dst[at+(i-head)/64] |= uint64(v[i]>>7) << ((i - head) % 64)
	}
	return dst
}

// Differ counts the signs in which two sketches differ.
func Differ(a, b []uint64) (n int) {
	b = b[:len(a)]
	for i := range a {
		n += bits.OnesCount64(a[i] ^ b[i])
	}
	return n
}

// Models agree on the order of what is near, not on how near that is: below
// least two texts have nothing to do with each other, and what is further away
// than the best by more than slack is noise.
const (
	least = 0.25
	slack = 0.2
)

// Near is something and how near it is to what is asked.
type Near struct {
	ID  int64
	Cos float64
}

// Nearest returns the ids of those of list that are near, at most n, best first. It
// sorts list.
func Nearest(list []Near, n int) (ids []int64) {
	slices.SortFunc(list, func(a, b Near) int { return cmp.Or(cmp.Compare(b.Cos, a.Cos), cmp.Compare(b.ID, a.ID)) })
	for _, x := range list[:min(n, len(list))] {
		if x.Cos < least || x.Cos < list[0].Cos-slack {
			break
		}
		ids = append(ids, x.ID)
	}
	return ids
}

// Reciprocal rank fusion: the usual constant, and what decides a tie.
const (
	rankOffset = 60
	laterList  = 0.999
)

// Fuse makes one score of several rankings, best first each: 1 for what is first
// in all of them. Of equal ones that of the earlier list wins.
func Fuse(rankings ...[]int64) map[int64]float64 {
	scores, weight := map[int64]float64{}, 1/float64(len(rankings))
	for _, list := range rankings {
		for i, id := range list {
			scores[id] += weight * (rankOffset + 1) / float64(rankOffset+1+i)
		}
		weight *= laterList
	}
	return scores
}
