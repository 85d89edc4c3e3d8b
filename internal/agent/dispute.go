package agent

import (
	"slices"

	"parley/internal/tools"
)

// Dispute is what two sources of a list, counted from 0, say against each other.
type Dispute struct {
	A, B         int
	SaidA, SaidB string
}

// disputed adds to the numbers of what an answer cites those that contradict it, and
// returns what code says about that; "" where nothing does. Of an answer that cites
// nothing, what the model asked for counts.
func (t *turn) disputed(answer string, numbers []int) (cited []int, below string) {
	if t.a.o.Notes.Disputes == nil || len(t.sources.cited) < 2 {
		return numbers, ""
	}
	list := slices.Clone(t.sources.cited)
	for i := range list {
		if looked := len(numbers) == 0 && i >= t.sources.given; list[i].Kind != noteKind || len(numbers) == 0 && !looked {
			list[i] = tools.Source{}
		}
	}
	cited = slices.Clone(numbers)
	for _, d := range t.a.o.Notes.Disputes(t.in.text, answer, list) {
		a, b := d.A+1, d.B+1
		if len(numbers) > 0 && !slices.Contains(numbers, a) && !slices.Contains(numbers, b) {
			continue
		}
		below += t.in.p.Say("\n\nThese notes disagree:\n[%d] “%s”\n[%d] “%s”", a, d.SaidA, b, d.SaidB)
		for _, n := range []int{a, b} {
			if !slices.Contains(cited, n) {
				cited = append(cited, n)
			}
		}
	}
	slices.Sort(cited)
	return cited, below
}

// noteKind is the kind of sources that are notes.
const noteKind = "note"
