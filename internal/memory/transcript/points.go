package transcript

import (
	"slices"
	"strings"
	"time"

	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
	"parley/internal/memory/sessions"
	"parley/internal/text"
)

// maxKept limits the lines that one summary adds to the page for later sessions; a model may
// choose twice as many.
const maxKept = 6

// Decided adds new decisions to those of a session: the model's, unless outside words could
// have made them up, and those that code finds in people's own words.
func Decided(se memory.Session, f sessions.Folded, entries []memory.Entry) []string {
	list := se.Decisions
	if se.Origin.Via.Outside() {
		f.Decisions = nil // nobody was asked
	}
	for _, d := range f.Decisions {
		list = withDecision(list, d)
	}
	told := strings.Join(list, "\n")
	for _, pt := range Points(entries) {
		if pt.Decides && !sessions.Says(told, pt.Text) && !sessions.Says(f.Summary, pt.Text) {
			list = withDecision(list, pt.Text)
		}
	}
	return list
}

// withDecision adds a decision that was found, if it pushes out none: it stands in the summary
// as well.
func withDecision(list []string, decision string) []string {
	if kept, out := sessions.Decide(list, decision); len(out) == 0 {
		return kept
	}
	return list
}

// Lines returns what a session adds to the page for later sessions: the lines that the model
// chose. Where it chose none, or where outside words could have made it do so, these are
// people's most valuable sentences.
func Lines(se memory.Session, f sessions.Folded, entries []memory.Entry) (list []sessions.Line) {
	add := func(at time.Time, words string, people []string) {
		if words = strings.Join(strings.Fields(text.Plain(words)), " "); words != "" && facts.MayLearn(words) == nil {
			list = append(list, sessions.Line{At: at, Text: words, Session: se.ID, People: people})
		}
	}
	least := sessions.Worthy
	if f.Summary != "" && !f.Prose {
		least = sessions.Telling
	}
	if len(f.Keep) > 0 && !se.Origin.Via.Outside() {
		for _, k := range f.Keep[:min(len(f.Keep), 2*maxKept)] {
			add(lastAt(entries), k, se.Origin.People)
		}
		for i := range list {
			list[i].Kept = true
		}
		return list
	}
	told := strings.Join(se.Decisions, "\n")
	var best []sessions.Point
	for _, pt := range Points(entries) {
		if !pt.Bot && !pt.Passed && pt.Worth >= least && !sessions.Says(told, pt.Text) && !sessions.Covers(list, pt.Text) {
			best = append(best, pt)
		}
	}
	slices.SortStableFunc(best, func(x, y sessions.Point) int { return y.Worth - x.Worth })
	for _, pt := range best[:min(len(best), maxKept)] {
		add(pt.At, pt.Name+": "+pt.Text, []string{pt.User})
	}
	return list
}

func lastAt(entries []memory.Entry) time.Time {
	if len(entries) == 0 {
		return time.Time{}
	}
	return entries[len(entries)-1].At
}

// Points returns the sentences of entries that are worth keeping.
func Points(entries []memory.Entry) []sessions.Point {
	var said []sessions.Said
	for _, e := range entries {
		switch {
		case e.Role == llm.RoleUser:
			outside := e.Origin.Via &^ (provenance.ViaPicture | provenance.ViaFile) // attachments are not part of the words
			said = append(said, sessions.Said{At: e.At, Name: Speaker(e.Name, e.User), User: e.User, Text: e.Content, Passed: outside.Outside()})
		case e.Role == llm.RoleAssistant && e.Insight != "":
			said = append(said, sessions.Said{At: e.At, Name: provenance.Assistant, User: e.User, Text: e.Insight, Bot: true})
		}
	}
	return sessions.Extract(said)
}

// Left returns the points that a text does not contain.
func Left(all []sessions.Point, told string) []sessions.Point {
	return slices.DeleteFunc(all, func(p sessions.Point) bool { return sessions.Says(told, p.Text) })
}
