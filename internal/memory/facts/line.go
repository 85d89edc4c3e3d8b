package facts

import (
	"fmt"
	"strings"
	"time"

	"parley/internal/text/catalog"
)

// layoutDay is a layout of package time.
const layoutDay = "2 January 2006"

// Line returns a fact as a line of a list for people and models, now.
func (s *Store) Line(p catalog.Printer, f Fact) string { return Line(p, f, s.o.Now()) }

// Line returns a fact as a line of a list for people and models, at a time.
func Line(p catalog.Printer, f Fact, now time.Time) string {
	line := fmt.Sprintf("- #%d %s", f.Number, tagged(f))
	switch f.Scope {
	case ScopeChannel:
		line += " " + p.Text("(for everybody in this channel)")
	case ScopeGuild:
		line += " " + p.Text("(for everybody in this server)")
	}
	return line + Until(p, f, now)
}

// Until returns the note after a fact that says until when it holds, or held; "" if it has
// no end.
func Until(p catalog.Printer, f Fact, now time.Time) string {
	if f.Ends.IsZero() {
		return ""
	}
	words := p.Text("(until %s)")
	if f.Past(now) {
		words = p.Text("(until %s; that is past)")
	}
	return " " + p.Say(words, p.Time(f.Ends.AddDate(0, 0, -1), layoutDay))
}

// Became tells people the result of saving a fact.
func Became(p catalog.Printer, s Saved) string {
	switch note := s.Change.Note(p); {
	case note != "" && (s.Change.Kind == Replaced || s.Change.Other.ID != 0):
		return note
	case s.Known:
		return p.Say("I remembered that already (#%d): %s", s.Number, tagged(s.Fact))
	}
	return p.Say("Remembered (#%d): %s", s.Number, tagged(s.Fact))
}

// tagged returns the content of a fact with its tags.
func tagged(f Fact) string {
	return strings.TrimSpace(f.Content + " " + strings.Join(f.Tags, " "))
}
