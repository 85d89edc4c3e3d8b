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

// Lines returns what a session adds to the page for later sessions: the lines that the model
// chose of what was said. Where it chose none, or where outside words could have made it do
// so, these are people's most valuable sentences.
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
		for _, k := range supported(said(entries), f.Keep[:min(len(f.Keep), 2*maxKept)]) {
			add(lastAt(entries), k, se.Origin.People)
		}
		for i := range list {
			list[i].Kept = true
		}
		if len(list) > 0 {
			return list
		}
	}
	told := texts(se.Decisions)
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
			said = append(said, sessions.Said{At: e.At, Name: Speaker(e.Name, e.User), User: e.User, Text: e.Content, ID: e.MessageID,
				Called: e.Name, Passed: outside.Outside()})
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
