package agent

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

const wordsSources = "Sources:"

// maxButtons is how many sources get a button that shows their text.
const maxButtons = 5

var (
	lineMark = text.Pattern(`(?m)^\[(\d{1,3})\] `)
	anyMark  = text.Pattern(`\[(\d{1,3})\]`)
)

// sources holds what a turn may cite, numbered from 1.
type sources struct {
	*job
	context *background
	report  *report
	cited   []tools.Source
	given   int // how many of them were there before the model asked for any
}

// numbered makes the numbers of a result's sources unique in the turn: tools count from 1.
// Text from outside is not searched for marks; its numbers are listed above it.
func (c *sources) numbered(o tools.Outcome) tools.Outcome {
	r, before := &o.Result, len(c.cited)
	if n := len(r.Sources); n > 0 && r.Untrusted {
		r.Note = strings.TrimSpace(r.Note + fmt.Sprintf("\nTo cite what stands below, in its order: [%d]", before+1))
		if n > 1 {
			r.Note += fmt.Sprintf(" to [%d]", before+n)
		}
	} else if before > 0 && n > 0 {
		mark := lineMark
		if _, ok := r.Data.(Delegated); ok {
			mark = anyMark
		}
		r.Content = shifted(r.Content, mark(), before)
	}
	return o
}

func shifted(text string, mark *regexp.Regexp, by int) string {
	return mark.ReplaceAllStringFunc(text, func(m string) string {
		n, _ := strconv.Atoi(mark.FindStringSubmatch(m)[1]) // digits
		return strings.Replace(m, strconv.Itoa(n), strconv.Itoa(n+by), 1)
	})
}

// cites reports whether the turn has something to cite, so that marks in an answer are
// citations.
func (c *sources) cites() bool { return c.a.o.Cite != nil && c.sub == nil && len(c.cited) > 0 }

// checked returns an answer with its marks in order, the numbers of what it cites, and
// marks that could not be checked.
func (c *sources) checked(answer string) (text string, numbers []int, unsure []string) {
	return c.a.o.Cite(answer, c.whole())
}

// whole lists what was retrieved, each with everything the turn was shown of the same note
// or page.
func (c *sources) whole() []tools.Source {
	texts := map[string]string{}
	for _, s := range c.cited {
		texts[document(s)] += s.Text + "\n"
	}
	list := slices.Clone(c.cited)
	for i, s := range list {
		list[i].Text = strings.TrimSpace(texts[document(s)])
	}
	return list
}

// document names the note, file or page a source is part of.
func document(s tools.Source) string {
	name := s.Path
	if s.Kind == "code" {
		name = name[:max(0, strings.LastIndexByte(name, ':'))]
	} else {
		name, _, _ = strings.Cut(name, "#")
	}
	return s.Kind + " " + cmp.Or(name, s.URL, s.ID)
}

// sourced returns an answer with its citations checked, its sources, and the footer that
// lists them: what it cites and the facts it took words from or, if it cites nothing, what
// the model looked at.
func (c *sources) sourced(answer string) (text string, sources []memory.Source, below string) {
	if c.a.o.Cite == nil || c.sub != nil {
		return answer, nil, ""
	}
	if !c.report.worded { // the agent's own words cite nothing
		sources = c.rested(answer)
		return answer, sources, footer(c.in.p, wordsSources, sources)
	}
	text, numbers, unsure := c.checked(answer)
	rested := c.rested(text)
	if len(unsure) > 0 {
		below = c.in.p.Say("\n\nCould not be checked: %s", strings.Join(unsure[:min(len(unsure), maxButtons)], ", "))
	}
	cites := len(numbers) > 0
	numbers, disputes := c.disputed(text, numbers)
	if cites {
		sources = append(c.listed(numbers), rested...)
		return text, sources, below + disputes + footer(c.in.p, wordsSources, sources)
	}
	for n := c.given + 1; n <= len(c.cited); n++ {
		if !slices.Contains(numbers, n) {
			numbers = append(numbers, n) // behind those that disagree
		}
	}
	looked := c.listed(numbers)
	looked = looked[:min(len(looked), maxButtons)]
	return text, append(looked, rested...), below + disputes + footer(c.in.p, "Looked at:", looked) + footer(c.in.p, wordsSources, rested)
}

// listed returns the sources that numbers name, each once.
func (c *sources) listed(numbers []int) (list []memory.Source) {
	seen := map[string]bool{}
	for _, n := range numbers {
		s := c.cited[n-1]
		if key := s.Kind + s.ID + s.Path; !seen[key] {
			seen[key] = true
			list = append(list, memory.Source{N: n, Kind: s.Kind, Title: s.Title, Path: s.Path, URL: s.URL,
				Snippet: text.Clip(s.Snippet, maxShown), Score: s.Score})
		}
	}
	return list
}

// rested returns the facts whose words are in the answer to a question and not in the
// question.
func (c *sources) rested(answer string) (used []memory.Source) {
	if c.report.rote || !text.Asks(c.in.text) {
		return nil
	}
	for _, f := range c.context.known.facts {
		if facts.RestsOn(f.Content, answer, c.in.text) {
			used = append(used, memory.Source{Kind: "fact", Title: f.Content, Path: origin(f), Snippet: text.Clip(f.Quote, maxShown)})
		}
	}
	return used
}

// footer lists sources below an answer, under a title; "" for none.
func footer(p catalog.Printer, title string, sources []memory.Source) string {
	if len(sources) == 0 {
		return ""
	}
	lines := []string{p.Text(title)}
	for _, s := range sources {
		switch {
		case s.Kind == "fact":
			lines = append(lines, p.Say("- remembered: %s %s", s.Title, s.Path))
		case s.URL != "":
			lines = append(lines, fmt.Sprintf("[%d] [%s](%s) %s", s.N, bare(s.Title), closed.Replace(s.URL), s.Path))
		default:
			lines = append(lines, fmt.Sprintf("[%d] %s — %s", s.N, s.Title, s.Path))
		}
	}
	return "\n\n" + strings.Join(lines, "\n")
}

// closed escapes an address so that it cannot end the link around it.
var closed = strings.NewReplacer("(", "%28", ")", "%29", " ", "%20", "<", "%3C")

func bare(title string) string {
	return strings.NewReplacer("[", "(", "]", ")", "\n", " ").Replace(title)
}

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

// Dispute is a contradiction between two sources of a list, counted from 0.
type Dispute struct {
	A, B         int
	SaidA, SaidB string
}

// disputed adds to the numbers an answer cites those of notes that contradict them, and
// returns the sentence about it, "" for none. For an answer that cites nothing, the notes
// the model asked for count.
func (c *sources) disputed(answer string, numbers []int) (cited []int, below string) {
	if c.a.o.Notes.Disputes == nil || len(c.cited) < 2 {
		return numbers, ""
	}
	list := slices.Clone(c.cited)
	for i := range list {
		if looked := len(numbers) == 0 && i >= c.given; list[i].Kind != "note" || len(numbers) == 0 && !looked {
			list[i] = tools.Source{}
		}
	}
	cited = slices.Clone(numbers)
	for _, d := range c.a.o.Notes.Disputes(c.in.text, answer, list) {
		a, b := d.A+1, d.B+1
		if len(numbers) > 0 && !slices.Contains(numbers, a) && !slices.Contains(numbers, b) {
			continue
		}
		below += c.in.p.Say("\n\nThese notes disagree:\n[%d] “%s”\n[%d] “%s”", a, d.SaidA, b, d.SaidB)
		for _, n := range []int{a, b} {
			if !slices.Contains(cited, n) {
				cited = append(cited, n)
			}
		}
	}
	slices.Sort(cited)
	return cited, below
}
