package transcript

import (
	"strings"
	"time"

	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/provenance"
	"parley/internal/memory/sessions"
	"parley/internal/text/ranking"
)

// Decided returns the decisions of a session with those that were made in entries: the
// summarizer's that these support, unless outside words could have made it up, and those that
// code finds in people's own words.
func Decided(se memory.Session, f sessions.Folded, entries []memory.Entry) []sessions.Decision {
	list := se.Decisions
	if !se.Origin.Via.Outside() { // else nobody was asked
		for _, d := range supported(said(entries), f.Decisions) {
			list = append(list[:len(list):len(list)], summed(se, d, entries))
		}
	}
	told := texts(list)
	for _, pt := range Points(entries) {
		if pt.Decides && !sessions.Says(told, pt.Text) && !sessions.Says(f.Summary, pt.Text) {
			list = append(list[:len(list):len(list)], sessions.Decision{Text: pt.Text, User: pt.User, Name: pt.Called,
				Message: pt.Message, At: pt.At})
		}
	}
	return list
}

// summed returns a decision that a summarizer found, as that of the person whose message
// says most of it; where none does, of whoever spoke last.
func summed(se memory.Session, text string, entries []memory.Entry) sessions.Decision {
	d := sessions.Decision{Text: text, At: lastAt(entries), Origin: se.Origin.And(Origin(entries))}
	best, telling := -1, ranking.Stems(text)
	for _, e := range entries {
		if e.Role != llm.RoleUser {
			continue
		}
		n, have := 0, ranking.Stems(e.Content)
		for w := range telling {
			if have[w] {
				n++
			}
		}
		if n >= best {
			best, d.User, d.Name, d.Message, d.At = n, e.User, e.Name, e.MessageID, e.At
		}
	}
	return d
}

// said returns all that was said in entries, by whom and on which days.
func said(entries []memory.Entry) string {
	var b strings.Builder
	for _, e := range entries {
		if e.Role == llm.RoleTool {
			continue
		}
		for _, words := range []string{e.Name, e.Content, e.Attached, days(e.At), days(e.At.AddDate(0, 0, 1))} {
			b.WriteString(words + "\n")
		}
	}
	return b.String()
}

// days returns the ways in which summaries write a day.
func days(at time.Time) string { return at.UTC().Format("2006-01-02 2 January 1 Monday") }

func texts(list []sessions.Decision) string {
	var b strings.Builder
	for _, d := range list {
		b.WriteString(d.Text + "\n")
	}
	return b.String()
}

// HeardIn returns the origin of a session's decisions, with who said each.
func HeardIn(list []sessions.Decision) (all provenance.Origin) {
	for _, d := range list {
		all = all.And(d.Origin).Of(d.User)
	}
	return all
}
