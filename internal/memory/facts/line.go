package facts

import (
	"fmt"
	"parley/internal/text/catalog"
	"strings"
	"time"
)

// of package time
const layoutDay = "2 January 2006"

// Line is a fact as people and models read it in a list, now.
func (s *Store) Line(p catalog.Printer, f Fact) string { return Line(p, f, s.o.Now()) }

// Line is a fact as people and models read it in a list, at a time.
func Line(p catalog.Printer, f Fact, now time.Time) string {
	line := fmt.Sprintf("- #%d %s", f.ID, tagged(f))
	switch f.Scope {
	case ScopeChannel:
		line += " " + p.Text("(for everybody in this channel)")
	case ScopeGuild:
		line += " " + p.Text("(for everybody in this server)")
	}
	return line + Until(p, f, now)
}

// Until says until when a fact holds, behind it, and when that is over; "" is for
// good.
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

// Became says what became of a fact that was to be remembered.
func Became(p catalog.Printer, s Saved) string {
	switch note := s.Change.Note(p); {
	case note != "" && (s.Change.Kind == Replaced || s.Change.Other.ID != 0):
		return note
	case s.Known:
		return p.Say("I remembered that already (#%d): %s", s.ID, tagged(s.Fact))
	}
	return p.Say("Remembered (#%d): %s", s.ID, tagged(s.Fact))
}

// tagged returns what a fact says, with its tags.
func tagged(f Fact) string {
	return strings.TrimSpace(f.Content + " " + strings.Join(f.Tags, " "))
}
