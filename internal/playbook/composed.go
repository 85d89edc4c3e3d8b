package playbook

import (
	"cmp"
	"slices"

	"parley/internal/playbook/saying"
)

// maxComposed is how many replies an answer may draw on, beyond the texts of the rules
// that apply.
const maxComposed = 4

// composed lists the texts for an answer: those of the rules that apply, what is asked
// for next, and replies, those that share words with the message first. It is empty
// when nothing relates to the message.
func (t *turn) composed(top []Match, ask *Variable) (list []string) {
	list = t.verbatim(top)
	if ask != nil && ask.Ask != "" {
		list = append(list, ask.Ask)
	}
	type near struct {
		text   string
		shared int
	}
	var found []near
	fits := len(list) > 0
	for _, r := range t.book.doc.Replies {
		n := saying.Shared(saying.Words(r.ID+" "+r.Text), t.words())
		if text := t.fillPlain(r.Text); !slices.Contains(list, text) {
			found = append(found, near{text, n})
			fits = fits || n > 0
		}
	}
	if !fits {
		return nil
	}
	slices.SortStableFunc(found, func(a, b near) int { return cmp.Compare(b.shared, a.shared) })
	for _, f := range found[:min(len(found), maxComposed)] {
		list = append(list, f.text)
	}
	return list
}
