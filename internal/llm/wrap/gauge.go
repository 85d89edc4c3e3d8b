package wrap

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"

	"parley/internal/llm"
)

// Gauge estimates how many tokens a request has, and learns from what the
// provider counted what each kind of text takes: recursive least squares over
// llm.Traits. It is safe for many goroutines; a nil one knows what is usual.
type Gauge struct {
	// Save keeps what was learned; nil does not. It is called outside of any
	// lock, from the goroutine of the call that taught it.
	Save func(state string)

	mu     sync.Mutex // guards the rest
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

// NewGauge resumes from a state that Save was given. An empty or unreadable one begins
// anew.
func NewGauge(state string, save func(string)) *Gauge {
	g := &Gauge{Save: save, weight: llm.Usual}
	for i, d := range doubts {
		g.doubt[i][i] = d * d
	}
	var kept gaugeState
	if state != "" && json.Unmarshal([]byte(state), &kept) == nil && kept.Heard > 0 {
		g.weight, g.doubt, g.heard = kept.Weight, kept.Doubt, kept.Heard
	}
	return g
}

// gaugeState is the stored form of a Gauge.
type gaugeState struct {
	Weight llm.Traits                                    `json:"weight"`
	Doubt  [len(llm.Traits{})][len(llm.Traits{})]float64 `json:"doubt"`
	Heard  int                                           `json:"heard"`
}

// Estimate returns the tokens of a request.
func (g *Gauge) Estimate(r llm.Request) int {
	weight := llm.Usual
	if g != nil {
		g.mu.Lock()
		weight = g.weight
		g.mu.Unlock()
	}
	return max(1, int(math.Ceil(llm.TraitsOf(r).At(weight))))
}

// Learn takes in what a provider counted for a request. One with pictures
// teaches nothing, nor does a count of nothing.
func (g *Gauge) Learn(r llm.Request, counted int) {
	if g == nil || counted <= 0 || slices.ContainsFunc(r.Messages, llm.Message.Pictured) {
		return
	}
	state := g.learn(llm.TraitsOf(r), float64(counted))
	if g.Save != nil && state != "" {
		g.Save(state)
	}
}

// learn returns the state to store, "" when too little has changed.
func (g *Gauge) learn(t llm.Traits, counted float64) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	miss := counted - t.At(g.weight)
	spread, off := g.spread(t, counted, [len(llm.Traits{})]bool{})
	g.lean(t, counted)
	for i := range t {
		for j := range t {
			g.doubt[i][j] -= spread[i] * spread[j] / off
		}
		g.doubt[i][i] = max(g.doubt[i][i], leastDoubt*doubts[i]*doubts[i])
	}
	g.heard++
	if g.heard > 10 && math.Abs(miss) < noiseShare*counted {
		return ""
	}
	b, err := json.Marshal(gaugeState{g.weight, g.doubt, g.heard})
	if err != nil { // numbers that are none
		*g = Gauge{Save: g.Save, weight: llm.Usual}
		return ""
	}
	return string(b)
}

// spread is doubt times t, and by how much, squared, a count may be off. What is
// held has none.
func (g *Gauge) spread(t llm.Traits, counted float64, held [len(llm.Traits{})]bool) (spread llm.Traits, off float64) {
	off = math.Pow(noiseShare*counted+noiseFlat, 2)
	for i := range t {
		for j, v := range t {
			if !held[i] && !held[j] {
				spread[i] += g.doubt[i][j] * v
			}
		}
		off += spread[i] * t[i]
	}
	return spread, off
}

// lean brings the weights towards what was counted. One that comes to its bound
// is held there, and the others go on: cut by itself it would leave theirs where
// they only fit with it, further off than before.
func (g *Gauge) lean(t llm.Traits, counted float64) {
	var held [len(llm.Traits{})]bool
	for range t {
		miss := counted - t.At(g.weight)
		spread, off := g.spread(t, counted, held)
		share, first := 1.0, -1 // of the way, up to the first bound
		for i := range t {
			way := spread[i] / off * miss
			if room := max(most[i]-g.weight[i], 0); way > 0 && room < share*way {
				share, first = room/way, i
			}
			if room := max(g.weight[i]-least[i], 0); way < 0 && room < -share*way {
				share, first = -room/way, i
			}
		}
		for i := range t {
			g.weight[i] += share * spread[i] / off * miss
		}
		if first < 0 {
			return
		}
		held[first] = true
	}
}

// String summarizes what was learned, for the log.
func (g *Gauge) String() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return fmt.Sprintf("%.2f after %d calls", g.weight, g.heard)
}
