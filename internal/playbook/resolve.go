package playbook

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Candidate is a guideline as the resolver sees it.
type Candidate struct {
	ID        string
	Priority  int
	Relevance float64
	CreatedAt time.Time
	Order     int  // in the files; breaks the last tie
	Matched   bool // false: applies only when something entails it
	All, Any  []string
	Excludes  []string
	Entails   []string
}

// Reason is why a rule that matched does not apply.
type Reason string

// The reasons.
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

// Resolve resolves the relations between rules and is pure. Kept rules come
// ranked: priority, then relevance, then newest. Of two rules that exclude
// each other the higher priority stays; when they are equal the one that
// names the other stays. A rule dropped for its dependencies does not
// exclude or entail anything. entailed tells, for each kept rule that did not
// match by itself, which rule brought it in.
func Resolve(all []Candidate) (kept []Candidate, entailed map[string]string, dropped []Dropped) {
	ranked := slices.Clone(all)
	slices.SortFunc(ranked, rank)
	barred := map[string]Dropped{}
	for {
		r := resolution{ranked: ranked, out: map[string]Dropped{}, barred: barred}
		if fallen := r.run(); fallen != nil {
			barred[fallen.ID] = *fallen // it had excluded others: begin again without it
			continue
		}
		for _, c := range ranked {
			if r.in[c.ID] {
				kept = append(kept, c)
			} else if d, ok := r.out[c.ID]; ok {
				dropped = append(dropped, d)
			}
		}
		return kept, r.by, dropped
	}
}

func rank(a, b Candidate) int {
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(b.Relevance, a.Relevance),
		b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.Order, b.Order), cmp.Compare(a.ID, b.ID))
}

// resolution is one attempt to find a consistent set of rules.
type resolution struct {
	ranked []Candidate
	barred map[string]Dropped
	in     map[string]bool
	by     map[string]string
	out    map[string]Dropped
	byID   map[string]*Candidate
}

// run returns a rule that does not apply although it had excluded another one,
// or nil when the set is settled.
func (r *resolution) run() *Dropped {
	r.byID = make(map[string]*Candidate, len(r.ranked))
	for i := range r.ranked {
		r.byID[r.ranked[i].ID] = &r.ranked[i]
	}
	for id, d := range r.barred {
		r.out[id] = d
	}
	r.settle()
	var winners []string
	for i := range r.ranked {
		c := &r.ranked[i]
		for _, id := range c.Excludes {
			if r.in[c.ID] && r.in[id] && id != c.ID {
				winners = append(winners, r.exclude(c, r.byID[id]))
				r.settle()
			}
		}
	}
	for _, id := range winners {
		if !r.in[id] {
			d := r.out[id]
			return &Dropped{id, cmp.Or(d.Reason, UnmetDependency), cmp.Or(d.Detail, "what brought it in does not apply")}
		}
	}
	return nil
}

// exclude drops one of two rules that cannot both apply and returns the other.
func (r *resolution) exclude(c, other *Candidate) (winner string) {
	if other.Priority > c.Priority {
		r.out[c.ID] = Dropped{c.ID, Outranked, fmt.Sprintf("%s has a higher priority and the two exclude each other", other.ID)}
		r.in[c.ID] = false
		return other.ID
	}
	r.out[other.ID] = Dropped{other.ID, Excluded, "excluded by " + c.ID}
	r.in[other.ID] = false
	return c.ID
}

// settle adds the matched rules and those they entail, except rules already
// dropped, and drops rules that lack a dependency, until nothing changes. From one
// call to the next the set only shrinks.
func (r *resolution) settle() {
	for again := true; again; {
		r.activate()
		again = false
		for i := range r.ranked {
			c := &r.ranked[i]
			if !r.in[c.ID] || len(c.All)+len(c.Any) == 0 {
				continue
			}
			if detail := r.unmet(c); detail != "" {
				r.in[c.ID], again = false, true
				r.out[c.ID] = Dropped{c.ID, UnmetDependency, detail}
			}
		}
	}
}

func (r *resolution) activate() {
	r.in, r.by = make(map[string]bool, len(r.ranked)), map[string]string{}
	var queue []*Candidate
	take := func(c *Candidate) {
		if _, out := r.out[c.ID]; !out && !r.in[c.ID] {
			r.in[c.ID] = true
			queue = append(queue, c)
		}
	}
	for i := range r.ranked {
		if r.ranked[i].Matched {
			take(&r.ranked[i])
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, id := range queue[0].Entails {
			if c, ok := r.byID[id]; ok && !r.in[id] {
				if take(c); r.in[id] {
					r.by[id] = queue[0].ID
				}
			}
		}
	}
}

func (r *resolution) unmet(c *Candidate) string {
	for _, id := range c.All {
		if !r.in[id] {
			return fmt.Sprintf("needs %s, which does not apply", id)
		}
	}
	if len(c.Any) > 0 && !slices.ContainsFunc(c.Any, func(id string) bool { return r.in[id] }) {
		return fmt.Sprintf("needs one of %v, none of which applies", c.Any)
	}
	return ""
}
