package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/notes/citation"
	"parley/internal/notes/document"
	"parley/internal/notes/frontmatter"
	"parley/internal/notes/index"
	"parley/internal/notes/query"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Clock returns the time where a person is.
type Clock func(ctx context.Context, who chat.User) time.Time

// at is Clock, in UTC where there is none.
func (c Clock) at(ctx context.Context, who chat.User) time.Time {
	if c == nil {
		return time.Now().UTC()
	}
	return c(ctx, who)
}

// noteQuery reads what somebody looks for in notes: words, and in them a time, tags,
// a folder and properties; see query.Parse.
func noteQuery(question string, now time.Time) index.Query {
	s := query.Parse(question, now)
	q := index.Query{Text: s.Text, Tags: s.Tags, Folder: s.Folder, Properties: s.Properties}
	if s.Time != nil {
		q.During = &index.Period{From: s.Time.From, To: s.Time.To, In: s.Time.In}
	}
	return q
}

// periodOf says which days a period has.
func periodOf(p *index.Period) string {
	from, last := p.From.Format(time.DateOnly), p.To.AddDate(0, 0, -1).Format(time.DateOnly)
	if from == last {
		return from
	}
	return fmt.Sprintf("%s to %s", from, last)
}

// looked returns what a search for who calls found.
func (n Notes) looked(ctx context.Context, c Call, q index.Query) (Result, error) {
	s, err := n.Shelf(ctx, c)
	if err != nil {
		return Result{}, err
	}
	hits, err := s.Search(ctx, q)
	if err != nil {
		return Result{}, err
	}
	r, err := s.Found(ctx, q.Kind, hits)
	if err != nil || len(hits) == 0 {
		return r, err
	}
	if q.During != nil {
		r.Content = periods(q.During, hits) + "\n\n" + r.Content
	}
	for _, d := range disputes(q, hits) {
		r.Content += "\n\n" + fmt.Sprintf("These notes contradict each other: “%s” (%s), “%s” (%s). Say so, and cite both.", d.SaidA, hits[d.A].Path, d.SaidB, hits[d.B].Path)
	}
	return r, nil
}

// seen returns what a search for who calls found, as people read it.
func (n Notes) seen(ctx context.Context, c Call, q index.Query) (Result, error) {
	if strings.TrimSpace(q.Text) == "" && q.During == nil && len(q.Tags)+len(q.Properties) == 0 && q.Folder == "" {
		return worded(ctx, deed{}, "What shall I look for? Words, a time, a #tag or a [property]: /notes search garden last week #plants [status:open]")
	}
	s, err := n.Shelf(ctx, c)
	if err != nil {
		return Result{}, err
	}
	hits, err := s.Search(ctx, q)
	if err != nil || len(hits) == 0 {
		return Result{Content: catalog.Text(ctx, wordsNoNotes)}, err
	}
	var b strings.Builder
	if q.During != nil {
		of := slices.DeleteFunc(slices.Clone(hits), func(h index.Hit) bool { return !h.During })
		if len(of) > 0 {
			hits = of
		} else {
			b.WriteString(catalog.Say(ctx, "Nothing is from that time (%s). From other times:", periodOf(q.During)) + "\n")
		}
	}
	for _, h := range hits {
		path := h.Path
		if h.Page > 0 {
			path += "#" + document.PageMark(h.Page)
		}
		fmt.Fprintf(&b, "- **%s** — %s\n  %s\n", h.Title, path, strings.Join(strings.Fields(text.Shorten(h.Snippet, maxSnippet)), " "))
	}
	for _, d := range disputes(q, hits) {
		b.WriteString("\n" + catalog.Say(ctx, "These notes disagree:\n- “%s” (%s)\n- “%s” (%s)\n", d.SaidA, hits[d.A].Path, d.SaidB, hits[d.B].Path))
	}
	return Result{Content: b.String()}, nil
}

// disputes finds what notes among the hits say against each other. Code disputes
// nothing.
func disputes(q index.Query, hits []index.Hit) []citation.Dispute {
	if q.Kind == index.KindCode {
		return nil
	}
	list := make([]citation.Passage, len(hits))
	for i, h := range hits {
		list[i] = citation.Passage{Document: h.Source + "/" + h.Path, Title: h.Title, Heading: h.Heading, Text: h.Text,
			Dated: frontmatter.Day(h.Path, nil) != 0}
	}
	return citation.Disputes(q.Text, list)
}

// periods says which hits are of a period.
func periods(p *index.Period, hits []index.Hit) string {
	of, days := 0, make([]string, len(hits))
	for i, h := range hits {
		if h.During {
			of++
		}
		days[i] = h.Path + " " + h.Day.Format(time.DateOnly)
	}
	when := periodOf(p)
	switch of {
	case 0:
		return fmt.Sprintf("Nothing is from the time asked for (%s). Of other times, by date:", when) + " " + strings.Join(days, ", ")
	case len(hits):
		return fmt.Sprintf("All are from the time asked for (%s):", when) + " " + strings.Join(days, ", ")
	}
	return fmt.Sprintf("The first %d are from the time asked for (%s), the others are not:", of, when) + " " + strings.Join(days, ", ")
}
