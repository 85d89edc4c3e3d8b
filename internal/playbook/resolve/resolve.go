// Package resolve decides which of the rules that matched a message apply
// together. It is pure: it knows candidates and their relations, never a message, a
// model or a file. docs/rules.md shows each of its rules as a small example.
package resolve

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Candidate is a rule as the resolver sees it. No two have the same ID.
type Candidate struct {
	ID        string
	Priority  int
	Relevance float64
	CreatedAt time.Time
	Matched   bool // false: applies only when something entails it
	// Standing rules apply whatever their rank: they are not counted among the top.
	Standing bool
	All, Any []string // what it depends on
	Excludes []string
	Entails  []string
}

// Reason is why a rule that matched does not apply.
type Reason string

// The reasons. The first three are the resolver's.
const (
	UnmetDependency Reason = "unmet dependency"
	Excluded        Reason = "excluded"        // by a rule that names it
	Outranked       Reason = "outranked"       // by priority, or below the top N
	Gated           Reason = "gated"           // scope, required context
	Disabled        Reason = "disabled"        // switched off
	BelowThreshold  Reason = "below threshold" // not relevant enough
	AlreadyApplied  Reason = "already applied" // and not brought up anew
)

// Dropped is a rule that does not apply, and why.
type Dropped struct {
	ID     string `json:"guideline_id"`
	Reason Reason `json:"reason"`
	Detail string `json:"detail"` // in plain words
}

// Result is the outcome of a resolution. All lists are ranked.
type Result struct {
	Kept []Candidate // those that apply
	Cut  []Candidate // those that only the bound on the top kept from it
	// By has, for each kept rule that did not match by itself, every kept rule
	// that brings it in.
	By      map[string][]string
	Dropped []Dropped // the reason of everything that matched and does not apply
}

// Resolve finds the rules that apply. Rules rank by priority, then relevance, then
// the newest, then their ids: the order of all means nothing. Of two rules that
// exclude each other the higher priority applies; when they are equal, the one that
// names the other. A rule that does not apply excludes, entails and satisfies
// nothing, so only causes that apply bar anything.
//
// At most top matched rules apply, standing ones aside: from the highest down, each
// that can. What one of them entails comes along, and so does what it depends on if
// that matched; neither counts. A rule below the top has no effect at all.
func Resolve(all []Candidate, top int) Result {
	r := newResolution(all)
	r.seedTop(top)
	return r.result(top)
}

func rank(a, b *Candidate) int {
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(b.Relevance, a.Relevance),
		b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
}

// resolution is one run. Rules are known by their rank.
type resolution struct {
	ranked  []*Candidate
	byID    map[string]int
	beats   [][]int // whom a rule keeps out while it applies
	beaten  [][]int // by whom a rule is kept out
	loner   []bool  // no relation touches it
	seed    []bool  // applies by itself if nothing bars it
	picks   []int   // how many of those of which it needs one were tried
	applies set
}

type set []bool

func newResolution(all []Candidate) *resolution {
	r := &resolution{byID: make(map[string]int, len(all))}
	for i := range all {
		r.ranked = append(r.ranked, &all[i])
	}
	slices.SortFunc(r.ranked, rank)
	n := len(all)
	r.beats, r.beaten, r.picks = make([][]int, n), make([][]int, n), make([]int, n)
	r.loner, r.seed, r.applies = make([]bool, n), make([]bool, n), make(set, n)
	for i, c := range r.ranked {
		r.byID[c.ID], r.loner[i] = i, true
	}
	for i, c := range r.ranked {
		for _, ids := range [][]string{c.All, c.Any, c.Entails, c.Excludes} {
			for _, id := range ids {
				r.loner[i] = false
				if k, ok := r.byID[id]; ok {
					r.loner[k] = false
				}
			}
		}
		for _, id := range c.Excludes {
			if k, ok := r.byID[id]; ok && k != i {
				r.fight(i, k)
			}
		}
	}
	return r
}

// fight notes who wins when rule i excludes rule k.
func (r *resolution) fight(i, k int) {
	a, b := r.ranked[i], r.ranked[k]
	mutual := slices.Contains(b.Excludes, a.ID)
	if b.Priority > a.Priority || mutual && k < i {
		i, k = k, i
	}
	if !slices.Contains(r.beats[i], k) {
		r.beats[i], r.beaten[k] = append(r.beats[i], k), append(r.beaten[k], i)
	}
}

// seedTop takes matched rules in, from the highest down: all standing ones, and
// others as long as fewer than top of them apply.
func (r *resolution) seedTop(top int) {
	related := false
	for i, c := range r.ranked {
		if c.Matched && c.Standing {
			r.seed[i], r.applies[i] = true, r.loner[i]
			related = related || !r.loner[i]
		}
	}
	if related {
		r.complete()
	}
	refused := make(set, len(r.ranked))
	for i := 0; i < len(r.ranked) && len(r.counted()) < top; i++ {
		c := r.ranked[i]
		if !c.Matched || c.Standing || r.seed[i] || r.applies[i] || refused[i] {
			continue
		}
		if r.seed[i] = true; r.loner[i] {
			r.applies[i] = true
			continue
		}
		r.complete()
		if len(r.counted()) > top { // it lets others apply again that had fallen
			r.seed[i], refused[i] = false, true
			r.complete()
		}
		i = -1 // what had come along with another may have to stand for itself now
	}
}

// counted returns those of the top that are taken.
func (r *resolution) counted() (list []int) {
	for i, in := range r.applies {
		if in && r.seed[i] && !r.ranked[i].Standing {
			list = append(list, i)
		}
	}
	return list
}

// complete settles what applies. A rule that needs one of several, none of which
// applies by itself, brings the highest that matched and can apply.
func (r *resolution) complete() {
	for {
		r.applies = r.settle()
		lacking := slices.IndexFunc(r.ranked, func(c *Candidate) bool {
			i := r.byID[c.ID]
			return len(c.Any) > 0 && !r.applies[i] && (r.seed[i] || r.brought(i)) && r.picks[i] <= len(r.matched(c.Any)) &&
				r.unmet(i, r.applies) != ""
		})
		if lacking < 0 {
			return
		}
		r.picks[lacking]++
	}
}

// settle returns the rules that apply with the seeds there are. What certainly
// applies and what may apply close in on each other; where relations run in a
// circle, the highest rule of the circle is taken to apply, unless that would be its
// own undoing.
func (r *resolution) settle() set {
	undone := make(set, len(r.ranked))
	for {
		barred, chosen := slices.Clone(undone), make(set, len(r.ranked))
		certain := r.closeIn(barred)
		for {
			x := r.undecided(certain, chosen)
			if x < 0 {
				break
			}
			chosen[x] = true
			for _, rival := range slices.Concat(r.beats[x], r.beaten[x]) {
				barred[rival] = true
			}
			certain = r.closeIn(barred)
		}
		fallen := -1
		for i := range chosen {
			if chosen[i] && !certain.low[i] {
				fallen = i
				break
			}
		}
		if fallen < 0 {
			return certain.low
		}
		undone[fallen] = true
	}
}

// bounds are the rules that certainly apply, and those that may.
type bounds struct{ low, high set }

func (r *resolution) closeIn(barred set) bounds {
	b := bounds{low: make(set, len(r.ranked))}
	for {
		b.high = r.supported(r.without(barred, b.low))
		low := r.supported(r.without(barred, b.high))
		if slices.Equal(low, b.low) {
			return b
		}
		b.low = low
	}
}

// without returns what cannot apply while those in force do.
func (r *resolution) without(barred, force set) set {
	out := slices.Clone(barred)
	for i, in := range force {
		if in {
			for _, k := range r.beats[i] {
				out[k] = true
			}
		}
	}
	return out
}

// undecided returns the highest rule that may apply, does not certainly, and has a
// rival of its kind; -1 for none.
func (r *resolution) undecided(b bounds, chosen set) int {
	open := func(i int) bool { return b.high[i] && !b.low[i] }
	for i := range r.ranked {
		if open(i) && !chosen[i] && slices.ContainsFunc(slices.Concat(r.beats[i], r.beaten[i]), open) {
			return i
		}
	}
	return -1
}

// supported returns the largest set of rules outside out that the seeds bring in and
// whose dependencies are in it.
func (r *resolution) supported(out set) set {
	out = slices.Clone(out)
	for {
		in := r.reach(out)
		again := false
		for i := range in {
			if in[i] && r.unmet(i, in) != "" {
				out[i], again = true, true
			}
		}
		if !again {
			return in
		}
	}
}

// reach returns the seeds and what they bring in, one bringing the next.
func (r *resolution) reach(out set) set {
	in := make(set, len(r.ranked))
	var queue []int
	for i, seed := range r.seed {
		if seed && !out[i] {
			in[i] = true
			queue = append(queue, i)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, k := range r.brings(queue[0]) {
			if !in[k] && !out[k] {
				in[k] = true
				queue = append(queue, k)
			}
		}
	}
	return in
}

// brings lists what comes along with a rule: what it entails, what it depends on if
// that matched, and the one that was picked where it needs one of several.
func (r *resolution) brings(i int) (list []int) {
	c := r.ranked[i]
	for _, id := range c.Entails {
		if k, ok := r.byID[id]; ok {
			list = append(list, k)
		}
	}
	list = append(list, r.matched(c.All)...)
	if any := r.matched(c.Any); r.picks[i] > 0 && r.picks[i] <= len(any) {
		list = append(list, any[r.picks[i]-1])
	}
	return list
}

// matched returns the rules among ids that matched, the highest first.
func (r *resolution) matched(ids []string) (list []int) {
	for _, id := range ids {
		if k, ok := r.byID[id]; ok && r.ranked[k].Matched {
			list = append(list, k)
		}
	}
	slices.Sort(list)
	return list
}

// unmet says what a rule lacks beside those in, "" for nothing.
func (r *resolution) unmet(i int, in set) string {
	c := r.ranked[i]
	has := func(id string) bool { k, ok := r.byID[id]; return ok && in[k] }
	for _, id := range c.All {
		if !has(id) {
			return fmt.Sprintf("needs %s, which does not apply", id)
		}
	}
	if len(c.Any) > 0 && !slices.ContainsFunc(c.Any, has) {
		return fmt.Sprintf("needs one of %v, none of which applies", c.Any)
	}
	return ""
}

func (r *resolution) result(top int) Result {
	res := Result{By: map[string][]string{}}
	for i, c := range r.ranked {
		if r.applies[i] {
			res.Kept = append(res.Kept, *c)
			continue
		}
		why, barred := r.cause(i)
		switch {
		case barred && (c.Matched || r.brought(i)):
			res.Dropped = append(res.Dropped, why)
		case c.Matched:
			res.Cut = append(res.Cut, *c)
			res.Dropped = append(res.Dropped, Dropped{c.ID, Outranked, fmt.Sprintf("below the top %d", top)})
		}
	}
	for i, c := range r.ranked {
		if !r.applies[i] {
			continue
		}
		for _, id := range c.Entails {
			if k, ok := r.byID[id]; ok && r.applies[k] && !r.ranked[k].Matched {
				res.By[id] = append(res.By[id], c.ID)
			}
		}
	}
	return res
}

// brought reports whether something that applies would bring a rule in.
func (r *resolution) brought(i int) bool {
	for k, c := range r.ranked {
		if r.applies[k] && slices.Contains(c.Entails, r.ranked[i].ID) {
			return true
		}
	}
	return false
}

// cause says what keeps a rule out, by those that apply.
func (r *resolution) cause(i int) (why Dropped, barred bool) {
	c := r.ranked[i]
	for _, k := range r.beaten[i] {
		if by := r.ranked[k]; r.applies[k] {
			if slices.Contains(by.Excludes, c.ID) {
				return Dropped{c.ID, Excluded, "excluded by " + by.ID}, true
			}
			return Dropped{c.ID, Outranked, fmt.Sprintf("%s has a higher priority and the two exclude each other", by.ID)}, true
		}
	}
	if !r.seed[i] && !r.brought(i) {
		return Dropped{}, false
	}
	if lacks := r.unmet(i, r.applies); lacks != "" {
		return Dropped{c.ID, UnmetDependency, lacks}, true
	}
	for _, k := range r.beats[i] { // a circle
		if by := r.ranked[k]; r.applies[k] && k < i {
			return Dropped{c.ID, Outranked, fmt.Sprintf("%s ranks higher and the two exclude each other", by.ID)}, true
		}
	}
	return Dropped{c.ID, UnmetDependency, "it would undo what it rests on"}, true
}
