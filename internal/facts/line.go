package facts

import (
	"fmt"
	"strings"
)

// Line returns a fact as people and models read it in a list.
func Line(f Fact) string {
	line := fmt.Sprintf("- #%d %s", f.ID, tagged(f))
	switch f.Scope {
	case ScopeChannel:
		line += " " + wordsForChannel
	case ScopeGuild:
		line += " " + wordsForServer
	}
	return line
}

// Became says what became of a fact that was to be remembered.
func Became(s Saved) string {
	switch {
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
