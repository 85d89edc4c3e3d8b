package whatif

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/internal/app/rehearse"
	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/text"
	"parley/internal/tools"
)

// Kind is a way in which a message comes out differently.
type Kind string

// The kinds, those that matter most first.
const (
	GuardStops Kind = "a guard stops"
	GuardLets  Kind = "a guard no longer stops"
	Tools      Kind = "other tools"     // another tool, other arguments, or another end of a call
	Ends       Kind = "ends otherwise"  // handed over, asked, refused, …
	Rules      Kind = "other rules"     // apply
	Model      Kind = "another model"   // answers
	Words      Kind = "other words"     // the text differs
	Again      Kind = "would ask again" // a model that was not asked
	Cost       Kind = "other cost"      // only money differs
)

// Kinds are all, in their order.
var Kinds = []Kind{GuardStops, GuardLets, Tools, Ends, Rules, Model, Words, Again, Cost}

// Difference is a message that comes out differently.
type Difference struct {
	ID     string    `json:"id"` // of the answer, which /trace takes
	At     time.Time `json:"at"`
	Place  string    `json:"place"`
	Person string    `json:"person"`
	Name   string    `json:"name,omitempty"` // the person's, then
	Said   string    `json:"said"`
	Kinds  []Kind    `json:"kinds"`
	Before Outcome   `json:"before"`
	After  Outcome   `json:"after"`
}

// Weight is less the more a difference matters.
func (d Difference) Weight() int {
	if len(d.Kinds) == 0 {
		return len(Kinds)
	}
	return slices.Index(Kinds, d.Kinds[0])
}

// Order puts those that matter most first and, of the same weight, the latest.
func (d Difference) Order(other Difference) int {
	return cmp.Or(cmp.Compare(d.Weight(), other.Weight()), other.At.Compare(d.At))
}

// Ruled is what guards said, a line each.
func (o Outcome) Ruled() (list []string) {
	for _, g := range o.Guards {
		list = append(list, fmt.Sprintf("%s: %s %s", g.Guard, g.Tool, g.Ruling))
	}
	return list
}

// Made are the calls of tools, a line each; cut shortens arguments.
func (o Outcome) Made(cut func(string) string) (list []string) {
	for _, c := range o.Calls {
		list = append(list, fmt.Sprintf("%s %s: %s", c.Tool, cut(c.Args), c.Came))
	}
	return list
}

// difference compares what came of a message as it is with what comes of it changed. What the
// record does not tell of the changed one is no difference by itself.
func difference(turn *replayed, before, after Outcome) Difference {
	p := turn.past
	d := Difference{ID: p.ID, At: p.At, Place: p.Key.String(), Person: p.User, Name: p.Entries[0].Name,
		Said: p.Entries[0].Content, Before: before, After: after}
	was, is := stopped(before.Guards), stopped(after.Guards)
	cut := !after.whole // it ended in the middle
	if n := len(after.Calls); cut && n > 0 && after.Calls[n-1].Came == string(tools.Failed) {
		after.Calls[n-1].Came = "runs"
		d.After = after
	}
	for kind, differs := range map[Kind]bool{
		GuardStops: !within(is, was),
		GuardLets:  !within(was, is),
		Tools:      !sameCalls(before.Calls, after.Calls, cut),
		Ends:       !cut && before.Ended != after.Ended,
		Rules:      !slices.Equal(before.Rules, after.Rules) && (!cut || len(after.Rules) > 0),
		Model:      !cut && len(after.Models) > 0 && len(before.Models) > 0 && !slices.Equal(before.Models, after.Models),
		Words:      !cut && !sameWords(before, after),
		Again:      after.Again > 0 || cut,
	} {
		if differs {
			d.Kinds = append(d.Kinds, kind)
		}
	}
	if len(d.Kinds) == 0 && !near(before.Money, after.Money) {
		d.Kinds = append(d.Kinds, Cost)
	}
	slices.SortFunc(d.Kinds, func(a, b Kind) int { return slices.Index(Kinds, a) - slices.Index(Kinds, b) })
	return d
}

// stopped returns what guards did not allow, as "ruling guard tool".
func stopped(list []memory.Ruled) (out []string) {
	for _, r := range list {
		if r.Ruling != "allowed" {
			out = append(out, strings.Join([]string{r.Ruling, r.Guard, r.Tool}, " "))
		}
	}
	return out
}

// within reports whether all of a are in b.
func within(a, b []string) bool {
	return !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) })
}

// sameCalls compares calls; of a run that was cut short there may be fewer, and its last one
// did not end.
func sameCalls(before, after []Call, cut bool) bool {
	if !cut {
		return slices.Equal(before, after)
	}
	return len(after) <= len(before) && !slices.ContainsFunc(after, func(c Call) bool { return !slices.Contains(before, c) })
}

// sameWords compares what was said. A failure is told with a number that is never the same.
func sameWords(before, after Outcome) bool {
	failed := string(chat.Failed)
	return before.Text == after.Text || before.Ended == failed && after.Ended == failed
}

// near reports whether two sums of money are the same but for rounding.
func near(a, b float64) bool { return max(a, b)-min(a, b) <= 1e-9*max(1, a, b) }

// Tally counts messages by what became of them.
type Tally struct {
	Messages  int              `json:"messages"`  // that were run again
	Unchanged int              `json:"unchanged"` // but for what they cost
	Skipped   int              `json:"skipped"`   // of which the record does not have everything
	Kinds     map[Kind]int     `json:"kinds"`     // by each kind of theirs
	Requests  int              `json:"requests_to_ask"`
	Money     [2]float64       `json:"money"` // as it is, and changed
	Took      [2]time.Duration `json:"took_ns"`
}

func (t *Tally) skip(looked bool) {
	if looked {
		t.Skipped++
	}
}

func (t *Tally) count(d Difference) {
	t.Messages++
	if len(d.Kinds) == 0 || d.Kinds[0] == Cost {
		t.Unchanged++
	}
	if t.Kinds == nil {
		t.Kinds = map[Kind]int{}
	}
	for _, k := range d.Kinds {
		t.Kinds[k]++
	}
	t.Requests += d.After.Again
	for side, o := range []Outcome{d.Before, d.After} {
		t.Money[side] += o.Money
		t.Took[side] += o.Took
	}
}

// Wish returns what a rehearsal wants of the message: what the change makes of it, or what
// came of it as it is.
func (d Difference) Wish(changed bool) (w rehearse.Wish) {
	want, other := d.Before, d.After
	if changed {
		want, other = other, want
	}
	add := func(mark string, yes, no []string) {
		for _, s := range yes {
			if !slices.Contains(no, s) {
				w.Lines = append(w.Lines, mark+" "+s)
			}
		}
		for _, s := range no {
			if !slices.Contains(yes, s) {
				w.Lines = append(w.Lines, "!"+mark+" "+s)
			}
		}
	}
	add("rule", want.Rules, other.Rules)
	add("tool", tried(want), tried(other))
	for _, g := range want.Guards {
		w.Lines = append(w.Lines, "guard "+g.Guard+" "+g.Ruling)
	}
	if len(w.Lines) == 0 && want.Ended != other.Ended {
		w.Lines = append(w.Lines, "outcome "+want.Ended)
	}
	if changed && len(w.Lines) == 0 {
		w.Says = want.Text
	}
	return w
}

// Known reports whether a model answered what the change asks for, so that it can be judged.
func (d Difference) Known() bool {
	return len(d.Kinds) > 0 && d.Kinds[0] != Again && d.Kinds[0] != Cost
}

// Brief returns a difference without what only a run needs, and with its texts cut: what a
// list of many may hold.
func (d Difference) Brief(texts int) Difference {
	d.Said = text.Shorten(d.Said, texts)
	for _, o := range []*Outcome{&d.Before, &d.After} {
		o.turn = nil
		o.Text, o.Unknown = text.Shorten(o.Text, texts), text.Shorten(o.Unknown, texts)
		o.Rules, o.Guards, o.Calls = slices.Clone(first(o.Rules)), slices.Clone(first(o.Guards)), slices.Clone(first(o.Calls))
		for i := range o.Calls {
			o.Calls[i].Args = text.Shorten(o.Calls[i].Args, texts)
		}
	}
	return d
}

// first returns the first few of a list.
func first[T any](list []T) []T { return list[:min(len(list), 20)] }

// tried returns the tools that were called.
func tried(o Outcome) (names []string) {
	for _, c := range o.Calls {
		if !slices.Contains(names, c.Tool) {
			names = append(names, c.Tool)
		}
	}
	return names
}
