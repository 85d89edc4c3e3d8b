package agent

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/tools"
)

// maxButtons is how many sources have a button that shows their words.
const maxButtons = 5

var (
	lineMark = regexp.MustCompile(`(?m)^\[(\d{1,3})\] `)
	anyMark  = regexp.MustCompile(`\[(\d{1,3})\]`)
)

// numbered gives the sources of a result numbers that are unique in the turn:
// tools count theirs from 1. What comes from outside is not searched for marks;
// it is told below it which numbers it has.
func (t *turn) numbered(o tools.Outcome) tools.Outcome {
	r, before := &o.Result, len(t.cited)
	if n := len(r.Sources); n > 0 && r.Untrusted {
		r.Content += fmt.Sprintf("\nTo cite what stands above, in its order: [%d]", before+1)
		if n > 1 {
			r.Content += fmt.Sprintf(" to [%d]", before+n)
		}
	} else if before > 0 && n > 0 {
		mark := lineMark
		if _, ok := r.Data.(Delegated); ok {
			mark = anyMark
		}
		r.Content = shifted(r.Content, mark, before)
	}
	return o
}

// shifted adds to the numbers of marks.
func shifted(text string, mark *regexp.Regexp, by int) string {
	return mark.ReplaceAllStringFunc(text, func(m string) string {
		n, _ := strconv.Atoi(mark.FindStringSubmatch(m)[1]) // digits
		return strings.Replace(m, strconv.Itoa(n), strconv.Itoa(n+by), 1)
	})
}

// sourced checks an answer's citations: it returns the text with those that
// were retrieved, and what the answer rests on.
func (t *turn) sourced(text string) (string, []memory.Source) {
	if t.a.o.Cite == nil || t.sub != nil {
		return text, nil
	}
	text, numbers := t.a.o.Cite(text, len(t.cited))
	var used []memory.Source
	seen := map[string]bool{}
	for _, n := range numbers {
		s := t.cited[n-1]
		if key := s.Kind + s.ID + s.Path; !seen[key] {
			seen[key] = true
			used = append(used, memory.Source{N: n, Kind: s.Kind, Title: s.Title, Path: s.Path, URL: s.URL, Snippet: clipRunes(s.Snippet, maxShown)})
		}
	}
	return text, append(used, t.rested(text)...)
}

// rested are the facts that a question's answer took words from: words that the
// question did not have.
func (t *turn) rested(answer string) (used []memory.Source) {
	if t.rote || !asks(t.in.text) {
		return nil
	}
	for _, f := range t.known.facts {
		if memory.Contributes(f.Content, answer, t.in.text) {
			used = append(used, memory.Source{Kind: "fact", Title: f.Content, Path: origin(f), Snippet: clipRunes(f.Quote, maxShown)})
		}
	}
	return used
}

var questionWord = regexp.MustCompile(`(?i)^(?:who|whom|whose|what|which|when|where|why|how|do|does|did|is|are|am|was|were|can|could|tell me|remind me what)\b`)

// asks says that somebody wants to know something.
func asks(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasSuffix(text, "?") || questionWord.MatchString(text)
}

// footer lists sources below an answer; "" for none.
func footer(sources []memory.Source) string {
	if len(sources) == 0 {
		return ""
	}
	lines := []string{wordsSources}
	for _, s := range sources {
		switch {
		case s.Kind == "fact":
			lines = append(lines, fmt.Sprintf(wordsFromFact, s.Title, s.Path))
		case s.URL != "":
			lines = append(lines, fmt.Sprintf("[%d] [%s](%s) %s", s.N, bare(s.Title), closed.Replace(s.URL), s.Path))
		default:
			lines = append(lines, fmt.Sprintf("[%d] %s — %s", s.N, s.Title, s.Path))
		}
	}
	return "\n\n" + strings.Join(lines, "\n")
}

// closed is for an address that must not end the link it stands in.
var closed = strings.NewReplacer("(", "%28", ")", "%29", " ", "%20", "<", "%3C")

// bare is a title that cannot end the link it stands in.
func bare(title string) string {
	return strings.NewReplacer("[", "(", "]", ")", "\n", " ").Replace(title)
}

// sourceButtons show on demand what a source says.
func sourceButtons(decision string, sources []memory.Source) [][]chat.Button {
	var row []chat.Button
	for _, s := range sources {
		if s.N > 0 && s.Snippet != "" && len(row) < maxButtons {
			row = append(row, chat.Button{Label: fmt.Sprintf("[%d]", s.N), Data: fmt.Sprintf("/why answer:%s source:%d", decision[:8], s.N)})
		}
	}
	if row == nil {
		return nil
	}
	return [][]chat.Button{row}
}
