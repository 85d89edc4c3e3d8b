package sessions

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/text"
	"parley/internal/text/ranking"
)

// Line is something that matters beyond the session in which it was said.
type Line struct {
	At      time.Time `json:"at"`
	Text    string    `json:"text"`
	Session string    `json:"session"`
	People  []string  `json:"people,omitempty"` // whose words it contains
	Kept    bool      `json:"kept,omitempty"`   // a summarizer chose it; code chose the others
}

// Said returns the words of a line, without who said them.
func (l Line) Said() string {
	if _, words, ok := strings.Cut(l.Text, ": "); ok && len(l.People) == 1 {
		return words
	}
	return l.Text
}

// Bounds of a page.
const (
	MaxPage     = 3000 // runes of all lines
	maxLine     = 260  // runes of one
	maxTold     = 2000 // significant words of a text that is compared
	covered     = 0.7  // share of a line's significant words that makes it a repetition
	keptWorth   = 1000 // more than any line that code chose
	maxOutdated = 3    // at most one line in this many can become outdated at once
)

// Page adds lines to the carried ones, without repetitions. If they exceed MaxPage, it drops
// the least valuable lines, old ones first, and what a summarizer chose last: names, numbers,
// plans and decisions stay.
func Page(carried []Line, more ...Line) []Line {
	page := slices.Clone(carried)
	for _, l := range more {
		l.Text = text.ShortenWords(strings.Join(strings.Fields(l.Text), " "), maxLine)
		if l.Text != "" && !Covers(page, l.Text) {
			page = append(page, l)
		}
	}
	for size(page) > MaxPage {
		page = slices.Delete(page, weakest(page), weakest(page)+1)
	}
	return page
}

// Covers reports whether one of the lines says the same as a text.
func Covers(page []Line, what string) bool {
	return slices.ContainsFunc(page, func(l Line) bool { return Says(l.Text, what) })
}

// Says reports whether a text has nearly all significant words of another.
func Says(all, what string) bool {
	terms := ranking.Terms(what)
	if len(terms) == 0 {
		return true
	}
	have := map[string]bool{}
	for _, w := range ranking.TermsUpTo(all, maxTold) {
		have[ranking.Stem(w)] = true
	}
	n := 0
	for _, w := range terms {
		if have[ranking.Stem(w)] {
			n++
		} else if strings.ContainsAny(w, "0123456789") {
			return false // another number means another thing
		}
	}
	return float64(n) >= covered*float64(len(terms))
}

// weakest returns the least valuable line; of equals the oldest.
func weakest(page []Line) int {
	at, least := 0, -1
	for i, l := range page {
		worth, _ := weigh(l.Text)
		if l.Kept {
			worth += keptWorth
		}
		if least < 0 || worth < least {
			at, least = i, worth
		}
	}
	return at
}

func size(page []Line) (n int) {
	for _, l := range page {
		n += utf8.RuneCountInString(l.Text) + len("- 2006-01-02 ") + 1
	}
	return n
}

// Without returns the page without outdated lines, which are numbered from 1. If they are
// more than one in maxOutdated, it ignores them.
func Without(page []Line, outdated []int) []Line {
	if len(outdated)*maxOutdated > len(page) {
		return page
	}
	kept := make([]Line, 0, len(page))
	for i, l := range page {
		if !slices.Contains(outdated, i+1) {
			kept = append(kept, l)
		}
	}
	return kept
}

// Text returns the page as text: a line for each, with its day.
func Text(page []Line) string {
	var b strings.Builder
	for _, l := range page {
		b.WriteString("- " + l.At.UTC().Format(time.DateOnly) + " " + l.Text + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// People returns the people whose words a page contains.
func People(page []Line) (all []string) {
	for _, l := range page {
		all = append(all, l.People...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
