package facts

import (
	"fmt"
	"parley/internal/text/catalog"
	"strings"
	"time"
)

// Line is a fact as people and models read it in a list, now.
func (s *Store) Line(p catalog.Printer, f Fact) string { return Line(p, f, s.o.Now()) }

// Line is a fact as people and models read it in a list, at a time.
func Line(p catalog.Printer, f Fact, now time.Time) string {
	line := fmt.Sprintf("- #%d %s", f.ID, tagged(f))
	switch f.Scope {
	case ScopeChannel:
		line += " " + p.Text(wordsForChannel)
	case ScopeGuild:
		line += " " + p.Text(wordsForServer)
	}
	return line + Until(p, f, now)
}

// Until says until when a fact holds, behind it, and when that is over; "" is for
// good.
func Until(p catalog.Printer, f Fact, now time.Time) string {
	if f.Ends.IsZero() {
		return ""
	}
	words := p.Text(wordsUntil)
	if f.Past(now) {
		words = p.Text(wordsPast)
	}
	return " " + p.Say(words, p.Time(f.Ends.AddDate(0, 0, -1), layoutDay))
}

// Became says what became of a fact that was to be remembered.
func Became(p catalog.Printer, s Saved) string {
	switch {
	case s.Change.Other.ID != 0 && s.Change.Kind == Added:
		return p.Say(wordsDisagrees, s.ID, tagged(s.Fact), s.Change.Other.ID, s.Change.Other.Content)
	case s.Replaced != "":
		return p.Say(wordsCorrected, s.ID, s.Replaced, tagged(s.Fact))
	case s.Known:
		return p.Say(wordsKnown, s.ID, tagged(s.Fact))
	}
	return p.Say(wordsRemembered, s.ID, tagged(s.Fact))
}

// tagged returns what a fact says, with its tags.
func tagged(f Fact) string {
	return strings.TrimSpace(f.Content + " " + strings.Join(f.Tags, " "))
}
