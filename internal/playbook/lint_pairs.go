package playbook

import (
	"slices"

	"parley/internal/playbook/condition"
	"parley/internal/playbook/saying"
)

// pairs compares rules with each other: what they say where both apply, and rules that
// a reply always speaks before.
func (l *linter) pairs() {
	var on, replies []*Guideline
	for _, g := range l.b.doc.Guidelines {
		if !g.IsEnabled() {
			continue
		}
		on = append(on, g)
		if g.reply != "" && len(g.needs) == 0 {
			replies = append(replies, g)
		}
	}
	for i, a := range on {
		for _, b := range on[i+1:] {
			if !overlap(a, b) || bars(a, b) || bars(b, a) {
				continue
			}
			switch same := sameWhen(a.Condition, b.Condition, a.when, b.when); {
			case same && contradict(a, b):
				l.add(b.At, b.ID, "contradiction", "has the condition of %s and says otherwise", a.ID)
			case !same && (a.when.Kind == condition.Always || b.when.Kind == condition.Always) && saying.Forbids(a.Action, b.Action):
				l.add(b.At, b.ID, "contradiction", "%s and this one cannot both be followed, and one of them always applies", a.ID)
			case same && sameSaying(a, b):
				l.add(b.At, b.ID, "twice", "says what %s says, under the same condition", a.ID)
			}
		}
	}
	for _, g := range on {
		for _, r := range replies {
			if g != r && overlap(r, g) && shadows(r, g) {
				l.add(g.At, g.ID, "shadowed", "whenever it matches, %s answers before it", r.ID)
				break
			}
		}
	}
}

// bars reports whether a keeps b from applying beside it, so that they may differ.
func bars(a, b *Guideline) bool { return slices.Contains(a.Excludes, b.ID) }

// sameWhen reports whether two conditions, as written and as compiled, say the same,
// perhaps in other words.
func sameWhen(a, b string, x, y condition.Condition) bool {
	if saying.Normal(a) == saying.Normal(b) {
		return true
	}
	words := saying.Content(x.Text)
	return x.Kind == condition.Plain && y.Kind == condition.Plain && len(words) > 0 && slices.Equal(words, saying.Content(y.Text))
}

// contradict recognizes two different ready-made answers, an action that forbids the
// other one, and actions that differ only in words that exclude each other.
func contradict(a, b *Guideline) bool {
	if a.reply != "" && b.reply != "" {
		return saying.Normal(a.reply) != saying.Normal(b.reply)
	}
	return saying.Forbids(a.Action, b.Action) || saying.Opposite(a.Action, b.Action)
}

// sameSaying reports whether two rules ask for the same.
func sameSaying(a, b *Guideline) bool {
	return a.reply == "" && b.reply == "" && a.Action != "" && slices.Equal(saying.Content(a.Action), saying.Content(b.Action))
}
