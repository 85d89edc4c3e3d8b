package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/notes/document"
	"parley/internal/notes/index"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// searchOptions are what /notes search takes. All of it may stand in the query, too:
// "garden last week #plants [status:open]".
var searchOptions = []gate.Option{
	{Name: "query", Help: "words; \"last week\", #tags and [status:open] count"},
	{Name: "when", Help: "\"last week\", \"in May\", 2026-05-04", Named: true},
	{Name: "tag", Help: "a tag that they have", Named: true},
	{Name: "folder", Help: "the folder that they are in", Named: true},
	{Name: "property", Help: "a property that they have, such as status:open", Named: true},
}

func (n Notes) search(ctx context.Context, r gate.Request) (chat.Answer, error) {
	q := n.query(ctx, r)
	if strings.TrimSpace(q.Text) == "" && q.During == nil && len(q.Tags)+len(q.Properties) == 0 && q.Folder == "" {
		return say(ctx, "What shall I look for? Words, a time, a #tag or a [property]: /notes search garden last week #plants [status:open]")
	}
	s, err := n.Shelf(ctx, r.Message)
	if err != nil {
		return chat.Answer{}, err
	}
	hits, err := s.Search(ctx, q)
	if err != nil {
		return chat.Answer{}, noNote(err)
	}
	if len(hits) == 0 {
		return say(ctx, wordsNoNotes)
	}
	var b strings.Builder
	if q.During != nil {
		of := slices.DeleteFunc(slices.Clone(hits), func(h index.Hit) bool { return !h.During })
		if len(of) > 0 {
			hits = of
		} else {
			b.WriteString(catalog.Say(ctx, "Nothing is from that time (%s). From other times:", tools.PeriodOf(q.During)) + "\n")
		}
	}
	for _, h := range hits {
		path := h.Path
		if h.Page > 0 {
			path += "#" + document.PageMark(h.Page)
		}
		fmt.Fprintf(&b, "- **%s** — %s\n  %s\n", h.Title, path, strings.Join(strings.Fields(text.Shorten(h.Snippet, maxSnippet)), " "))
	}
	for _, d := range tools.Disputes(q, hits) {
		b.WriteString("\n" + catalog.Say(ctx, "These notes disagree:\n- “%s” (%s)\n- “%s” (%s)\n", d.SaidA, hits[d.A].Path, d.SaidB, hits[d.B].Path))
	}
	return chat.Answer{Text: b.String()}, nil
}

// query reads what is looked for: from the words, and from options.
func (n Notes) query(ctx context.Context, r gate.Request) index.Query {
	said := r.Args["query"]
	if when := r.Args["when"]; when != "" {
		said += ` when:"` + strings.ReplaceAll(when, `"`, "") + `"`
	}
	if property := r.Args["property"]; property != "" {
		key, value, _ := strings.Cut(strings.Trim(property, "[]"), ":")
		said += " [" + strings.TrimSpace(key) + ":" + strings.TrimSpace(value) + "]"
	}
	now := r.Message.At
	if n.Clock != nil {
		now = n.Clock(ctx, r.Message.From)
	}
	q := tools.NoteQuery(said, now)
	if tag := r.Args["tag"]; tag != "" {
		q.Tags = append(q.Tags, tag)
	}
	if folder := r.Args["folder"]; folder != "" {
		q.Folder = folder
	}
	return q
}
