package playbook

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"parley/internal/llm/vector"
	"parley/internal/playbook/saying"
)

// index finds, among the rules that only a model can judge, those that share words
// with a message.
type index struct {
	postings map[string][]int // word -> orders of guidelines
	weight   map[string]float64
}

func newIndex(rules []*Guideline) index {
	x := index{map[string][]int{}, map[string]float64{}}
	n := 0
	for i, g := range rules {
		if !g.when.Judged() {
			continue
		}
		n++
		for _, w := range saying.Words(g.Condition) {
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

// Bounds on the use of vectors.
const (
	vectorBatch = 64 // conditions that get one at a time
	fewRules    = 30 // that many fit into the call anyway
	nearRules   = 30 // that are taken for near
)

// vectors holds those of conditions, by their words.
type vectors struct {
	mu sync.Mutex // guards what is below
	of map[string]vector.Vector
}

func newVectors() *vectors { return &vectors{of: map[string]vector.Vector{}} }

// Embed makes vectors for a batch of conditions in plain words that have none,
// and reports whether there are more. They are kept for later versions of the
// files; until they are there, the shortlist goes by words alone. Without
// Options.Embed it does nothing.
func (b *Book) Embed(ctx context.Context) (more bool, err error) {
	if b.options.Embed == nil {
		return false, nil
	}
	due := b.vectors.unknown(b.doc.Guidelines)
	if len(due) == 0 {
		return false, nil
	}
	due = due[:min(len(due), vectorBatch)]
	list, err := b.options.Embed(ctx, due)
	if err != nil {
		return false, fmt.Errorf("embed conditions: %w", err)
	}
	b.vectors.mu.Lock()
	defer b.vectors.mu.Unlock()
	for i, condition := range due {
		b.vectors.of[condition] = vector.Of(list[i])
	}
	return len(due) == vectorBatch, nil
}

// unknown lists the conditions that have no vector and may need one. It drops
// the vectors of conditions that no longer exist.
func (c *vectors) unknown(rules []*Guideline) (due []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := map[string]vector.Vector{}
	for _, g := range rules {
		if !g.when.Judged() {
			continue
		}
		condition := g.Condition
		if v, known := c.of[condition]; known {
			kept[condition] = v
		} else if !slices.Contains(due, condition) {
			due = append(due, condition)
		}
	}
	c.of = kept
	return due
}

// near ranks the rules whose conditions are closest in meaning to the message, best
// first. The message gets a vector only if the order of the rules matters.
func (t *turn) near(ctx context.Context, rules []*Guideline) []int64 {
	if t.book.options.Embed == nil || len(rules) <= fewRules {
		return nil
	}
	known := t.book.vectors.known(rules)
	if len(known) == 0 {
		return nil
	}
	asked := t.book.options.Embed.Query(ctx, t.sit.Text)
	if asked == nil {
		return nil
	}
	list := make([]vector.Near, 0, len(known))
	for order, v := range known {
		list = append(list, vector.Near{ID: int64(order), Cos: asked.Cos(v)})
	}
	return vector.Nearest(list, nearRules)
}

// known returns the vectors of rules, by their order.
func (c *vectors) known(rules []*Guideline) map[int]vector.Vector {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[int]vector.Vector{}
	for _, g := range rules {
		if v := c.of[g.Condition]; v != nil {
			out[g.order] = v
		}
	}
	return out
}

// shortlist sorts rules, those likely to apply first: score is by words, near
// by meaning.
func shortlist(rules []*Guideline, score map[int]float64, near []int64) {
	byWords := func(a, b *Guideline) int {
		return cmp.Or(cmp.Compare(score[b.order], score[a.order]), cmp.Compare(b.Priority, a.Priority))
	}
	slices.SortStableFunc(rules, byWords)
	if len(near) == 0 {
		return
	}
	var sharing []int64
	for _, g := range rules {
		if score[g.order] > 0 {
			sharing = append(sharing, int64(g.order))
		}
	}
	fused := vector.Fuse(sharing, near)
	slices.SortStableFunc(rules, func(a, b *Guideline) int { return cmp.Compare(fused[int64(b.order)], fused[int64(a.order)]) })
}
