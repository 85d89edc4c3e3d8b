package facts

import (
	"fmt"
	"strings"
	"time"
)

// Line is a fact as people and models read it in a list, now.
func (s *Store) Line(f Fact) string { return Line(f, s.o.Now()) }

// Line is a fact as people and models read it in a list, at a time.
func Line(f Fact, now time.Time) string {
	line := fmt.Sprintf("- #%d %s", f.ID, tagged(f))
	switch f.Scope {
	case ScopeChannel:
		line += " " + wordsForChannel
	case ScopeGuild:
		line += " " + wordsForServer
	}
	return line + Until(f, now)
}

// Until says until when a fact holds, behind it, and when that is over; "" is for
// good.
func Until(f Fact, now time.Time) string {
	if f.Ends.IsZero() {
		return ""
	}
	words := wordsUntil
	if f.Past(now) {
		words = wordsPast
	}
	return " " + fmt.Sprintf(words, f.Ends.AddDate(0, 0, -1).Format("2 January 2006"))
}

// Became says what became of a fact that was to be remembered.
func Became(s Saved) string {
	switch {
	case s.Change.Other.ID != 0 && s.Change.Kind == Added:
		return fmt.Sprintf(wordsDisagrees, s.ID, tagged(s.Fact), s.Change.Other.ID, s.Change.Other.Content)
	case s.Replaced != "":
		return fmt.Sprintf(wordsCorrected, s.ID, s.Replaced, tagged(s.Fact))
	case s.Known:
		return fmt.Sprintf(wordsKnown, s.ID, tagged(s.Fact))
	}
	return fmt.Sprintf(wordsRemembered, s.ID, tagged(s.Fact))
}

// tagged returns what a fact says, with its tags.
func tagged(f Fact) string {
	return strings.TrimSpace(f.Content + " " + strings.Join(f.Tags, " "))
}
