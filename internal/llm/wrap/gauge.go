package wrap

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"parley/internal/llm"
)

// Gauge estimates how many tokens a request has, and learns from what the provider counted.
// What it learns in a conversation (Request.Cache) counts there alone: what others say would
// shift where a conversation is cut, and show. A request of none counts as usual. A Gauge
// forgets with the process, is safe for many goroutines, and nil knows what is usual.
type Gauge struct {
	mu    sync.Mutex // guards the rest
	talks map[string]*learned
	order []string // of talks, the oldest first
}

// maxTalks is how many conversations a Gauge remembers.
const maxTalks = 2000

// learned is what each kind of text takes: recursive least squares over llm.Traits.
type learned struct {
	weight llm.Traits
	doubt  [len(llm.Traits{})][len(llm.Traits{})]float64 // covariance of weight
	heard  int
}

// doubts are how far the weights may be from what is usual at first.
var doubts = llm.Traits{llm.TraitLetters: 0.1, llm.TraitMarks: 0.3, llm.TraitHan: 0.5, llm.TraitOther: 0.5,
	llm.TraitTurns: 6, llm.TraitTools: 0.15}

// Bounds of the weights: no tokenizer is outside, but figures of servers may be.
var (
	least = llm.Traits{llm.TraitLetters: 0.1, llm.TraitMarks: 0.1, llm.TraitHan: 0.3, llm.TraitOther: 0.15, llm.TraitTurns: 0,
		llm.TraitTools: 0.08}
	most = llm.Traits{llm.TraitLetters: 0.45, llm.TraitMarks: 1, llm.TraitHan: 2, llm.TraitOther: 1.5, llm.TraitTurns: 12,
		llm.TraitTools: 0.5}
)

// How far a provider's count may be from a sum of weights: a share of it, and
// some tokens.
const (
	noiseShare = 0.02
	noiseFlat  = 3
	leastDoubt = 1e-4 // of a weight's first doubt that always stays: models and habits change
)

// newLearned knows what is usual.
func newLearned() *learned {
	l := &learned{weight: llm.Usual}
	for i, d := range doubts {
		l.doubt[i][i] = d * d
	}
	return l
}

// Estimate returns the tokens of a request.
func (g *Gauge) Estimate(r llm.Request) int {
	weight := llm.Usual
	if g != nil && r.Cache != "" {
		g.mu.Lock()
		if l := g.talks[r.Cache]; l != nil {
			weight = l.weight
		}
		g.mu.Unlock()
	}
	return max(1, int(math.Ceil(llm.TraitsOf(r).At(weight))))
}

// Learn takes in what a provider counted for a request of a conversation. One with pictures
// teaches nothing, nor does a count of nothing.
func (g *Gauge) Learn(r llm.Request, counted int) {
	if g == nil || r.Cache == "" || counted <= 0 || slices.ContainsFunc(r.Messages, llm.Message.Pictured) {
		return
	}
	traits := llm.TraitsOf(r)
	g.mu.Lock()
	defer g.mu.Unlock()
	l := g.talks[r.Cache]
	if l == nil {
		if len(g.order) == maxTalks {
			delete(g.talks, g.order[0])
			g.order = g.order[1:]
		}
		if g.talks == nil {
			g.talks = map[string]*learned{}
		}
		l = newLearned()
		g.talks[r.Cache], g.order = l, append(g.order, r.Cache)
	}
	l.learn(traits, float64(counted))
}

func (l *learned) learn(t llm.Traits, counted float64) {
	before := *l
	spread, off := l.spread(t, counted, [len(llm.Traits{})]bool{})
	l.lean(t, counted)
	for i := range t {
		for j := range t {
			l.doubt[i][j] -= spread[i] * spread[j] / off
		}
		l.doubt[i][i] = max(l.doubt[i][i], leastDoubt*doubts[i]*doubts[i])
	}
	if l.heard++; math.IsNaN(t.At(l.weight)) || math.IsInf(t.At(l.weight), 0) {
		*l = before
	}
}

// spread is doubt times t, and by how much, squared, a count may be off. What is
// held has none.
func (l *learned) spread(t llm.Traits, counted float64, held [len(llm.Traits{})]bool) (spread llm.Traits, off float64) {
	off = math.Pow(noiseShare*counted+noiseFlat, 2)
	for i := range t {
		for j, v := range t {
			if !held[i] && !held[j] {
				spread[i] += l.doubt[i][j] * v
			}
		}
		off += spread[i] * t[i]
	}
	return spread, off
}

// lean brings the weights towards what was counted. One that comes to its bound
// is held there, and the others go on: cut by itself it would leave theirs where
// they only fit with it, further off than before.
func (l *learned) lean(t llm.Traits, counted float64) {
	var held [len(llm.Traits{})]bool
	for range t {
		miss := counted - t.At(l.weight)
		spread, off := l.spread(t, counted, held)
		share, first := 1.0, -1 // of the way, up to the first bound
		for i := range t {
			way := spread[i] / off * miss
			if room := max(most[i]-l.weight[i], 0); way > 0 && room < share*way {
				share, first = room/way, i
			}
			if room := max(l.weight[i]-least[i], 0); way < 0 && room < -share*way {
				share, first = -room/way, i
			}
		}
		for i := range t {
			l.weight[i] += share * spread[i] / off * miss
		}
		if first < 0 {
			return
		}
		held[first] = true
	}
}

// String summarizes what was learned, for the lol.
func (l *learned) String() string {
	return fmt.Sprintf("%.2f after %d calls", l.weight, l.heard)
}
