// Package condition reads and decides the conditions that owners write. It decides
// with what its caller knows; it asks no model, calls no tool and reads no storage.
package condition

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/playbook/value"
	"parley/internal/text"
)

// Kind is how a condition is decided.
type Kind string

// The kinds of a condition.
const (
	Always  Kind = "always"
	Literal Kind = "literal" // the text has these words, whatever the case
	Regex   Kind = "regex"
	Var     Kind = "var"
	Event   Kind = "event"
	Tool    Kind = "tool"
	Plain   Kind = "plain" // words for the model to judge
	And     Kind = "and"
	Or      Kind = "or"
)

// Scores of the conditions that need no model.
const (
	scoreExact = 1.0
	scoreRegex = 0.9
)

// Condition is compiled once. The zero Condition never holds.
type Condition struct {
	Kind   Kind
	Text   string // as written; of Plain the words to judge
	Not    bool   // the rest does not hold
	Lit    string // of Literal, lower case; of Event and Tool its name
	Re     *regexp.Regexp
	Test   value.Test  // of Var, and of Tool what its result or arguments say
	Parts  []Condition // of And and Or
	filter value.Filter
}

// Evidence is everything that conditions are decided with.
type Evidence struct {
	Text, Lower string // the message, as it is and in lower case
	// Mute keeps the message's words from deciding anything.
	Mute      bool
	Threshold float64 // from which a model's verdict is a yes
	Variable  func(value.Test) bool
	Event     func(name string) bool
	Tool      func(name string, t value.Test) bool
	// Verdict is the model's on words to judge; known is false where it gave none.
	Verdict func(words string) (relevance float64, reason string, known bool)
}

// Holds returns how much a condition holds, from 0 to 1, and why in a few words.
func (c Condition) Holds(e *Evidence) (score float64, reason string) {
	if !c.Not {
		return c.holds(e)
	}
	if c.Kind == Plain {
		if _, _, known := e.Verdict(c.Text); !known {
			return 0, ""
		}
	}
	if e.Mute && c.OfMessage() {
		return 0, ""
	}
	bare := c
	bare.Not = false
	if score, _ := bare.holds(e); score >= e.Threshold {
		return 0, ""
	}
	return scoreExact, "it is not so: " + bare.said()
}

// said returns a condition of one kind in words for people.
func (c Condition) said() string {
	switch c.Kind {
	case Literal:
		return fmt.Sprintf("the message contains %q", text.Shorten(c.Lit, 60))
	case Regex:
		return "the message fits the pattern"
	case Var:
		return "known: " + c.Test.String()
	case Event:
		return "it is the event " + strings.ReplaceAll(c.Lit, "_", " ")
	case Tool:
		switch c.Test.Name {
		case "ok":
			return fmt.Sprintf("the tool %q worked", c.Lit)
		case "failed":
			return fmt.Sprintf("the tool %q did not work", c.Lit)
		}
		return fmt.Sprintf("the tool %q: %s", c.Lit, c.Test)
	}
	return text.Shorten(c.Text, 60)
}

func (c Condition) holds(e *Evidence) (score float64, reason string) {
	if e.Mute && (c.Kind == Literal || c.Kind == Regex) {
		return 0, ""
	}
	switch c.Kind {
	case Always:
		return scoreExact, "it always applies"
	case Literal:
		if HasWords(e.Lower, c.Lit) {
			return scoreExact, fmt.Sprintf("the message contains %q", c.Lit)
		}
	case Regex:
		if !c.filter.Admits(e.Lower) {
			return 0, ""
		}
		if at := c.Re.FindStringIndex(e.Text); at != nil {
			return scoreRegex, fmt.Sprintf("the message has %q, which fits the pattern", text.Shorten(e.Text[at[0]:at[1]], 60))
		}
	case Var:
		if e.Variable(c.Test) {
			return scoreExact, c.said()
		}
	case Event:
		if e.Event(c.Lit) {
			return scoreExact, c.said()
		}
	case Tool:
		if e.Tool(c.Lit, c.Test) {
			return scoreExact, c.said()
		}
	case Plain:
		score, reason, _ = e.Verdict(c.Text)
		return score, reason
	case And:
		return c.all(e)
	case Or:
		return c.any(e)
	}
	return 0, ""
}

func (c Condition) all(e *Evidence) (score float64, reason string) {
	score = scoreExact
	var reasons []string
	for _, p := range c.Parts {
		s, why := p.Holds(e)
		if s < e.Threshold || s == 0 {
			return min(s, score), why
		}
		score = min(score, s)
		reasons = append(reasons, why)
	}
	return score, strings.Join(reasons, "; ")
}

func (c Condition) any(e *Evidence) (score float64, reason string) {
	for _, p := range c.Parts {
		if s, why := p.Holds(e); s > score {
			score, reason = s, why
		}
	}
	return score, reason
}

// OfMessage reports whether the newest message or what it led to decides the
// condition, rather than something that stays true.
func (c Condition) OfMessage() bool {
	return c.has(func(k Kind) bool { return k == Literal || k == Regex || k == Event || k == Tool })
}

// Judged reports whether a model has a say in it.
func (c Condition) Judged() bool { return c.has(func(k Kind) bool { return k == Plain }) }

// OfTools reports whether it asks what tools did.
func (c Condition) OfTools() bool { return c.has(func(k Kind) bool { return k == Tool }) }

func (c Condition) has(is func(Kind) bool) bool {
	return is(c.Kind) || slices.ContainsFunc(c.Parts, func(p Condition) bool { return p.has(is) })
}

// Each calls f with the condition's parts, itself when it has none.
func (c Condition) Each(f func(Condition)) {
	if len(c.Parts) == 0 {
		f(c)
	}
	for _, p := range c.Parts {
		p.Each(f)
	}
}

// Open returns the words to judge that could still decide the condition, less those
// that its other parts have settled.
func (c Condition) Open(e *Evidence) (words []string) {
	switch c.Kind {
	case Plain:
		return []string{c.Text}
	case And, Or:
		for _, p := range c.Parts {
			if p.Judged() {
				words = append(words, p.Open(e)...)
				continue
			}
			if s, _ := p.Holds(e); (s >= e.Threshold) == (c.Kind == Or) {
				return nil
			}
		}
	}
	return words
}

// HasWords reports whether a text has the words in one stretch, and no more letters on
// either side: "sing" is not in "using". Scripts that put no space between words have no
// such sides. Both are lower case.
func HasWords(s, words string) bool {
	first, _ := utf8.DecodeRuneInString(words)
	last, _ := utf8.DecodeLastRuneInString(words)
	for from := 0; ; {
		i := strings.Index(s[from:], words)
		if i < 0 {
			return false
		}
		at := from + i
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		after, _ := utf8.DecodeRuneInString(s[at+len(words):])
		if !(inWord(before) && inWord(first)) && !(inWord(last) && inWord(after)) {
			return true
		}
		_, size := utf8.DecodeRuneInString(s[at:])
		from = at + size
	}
}

// unspaced are the scripts that write words without spaces between them.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
	unicode.Khmer, unicode.Myanmar}

func inWord(r rune) bool {
	if r == utf8.RuneError || unicode.In(r, unspaced...) {
		return false
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || r == '_'
}
