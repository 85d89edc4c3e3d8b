package tools

import (
	"context"
	"strings"

	"parley/internal/chat"
	"parley/internal/notes/index"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Deed is what a call did, in the words of code: people read it below the answer,
// whatever the model says.
type Deed struct {
	Note    string
	Buttons []chat.Button
}

// Bounds of what a Deed shows of a note.
const (
	maxDiffLines = 12
	maxDiffLine  = 120
)

// Wrote tells what was written, with what it changed.
func Wrote(ctx context.Context, w index.Written) Deed {
	if w.Action == index.Created {
		return Deed{Note: catalog.Say(ctx, "Wrote %s (new, %s).", text.Literal(w.Path), catalog.Many(ctx, len(lines(w.After)), "line"))}
	}
	gone, come := changed(lines(w.Before), lines(w.After))
	if len(gone)+len(come) == 0 {
		return Deed{Note: catalog.Say(ctx, "Wrote %s; nothing in it changed.", text.Literal(w.Path))}
	}
	return Deed{Note: catalog.Say(ctx, "Wrote %s (+%d −%d lines):", text.Literal(w.Path), len(come), len(gone)) + "\n" + diff(ctx, gone, come)}
}

// lines returns those of a note.
func lines(s string) []string {
	s = strings.TrimSuffix(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

// changed returns the lines that differ: between what two texts begin with and what
// they end with.
func changed(before, after []string) (gone, come []string) {
	for len(before) > 0 && len(after) > 0 && before[0] == after[0] {
		before, after = before[1:], after[1:]
	}
	for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	return before, after
}

// diff shows lines that went and came.
func diff(ctx context.Context, gone, come []string) string {
	var b strings.Builder
	show := func(mark string, list []string) {
		most := maxDiffLines / 2
		for i, l := range list {
			if i == most && len(list) > most+1 {
				b.WriteString(catalog.Say(ctx, "%s … and %d more", mark, len(list)-most) + "\n")
				return
			}
			b.WriteString(strings.TrimRight(mark+" "+text.Shorten(text.Plain(l), maxDiffLine), " ") + "\n")
		}
	}
	show("-", gone)
	show("+", come)
	return "```diff\n" + strings.ReplaceAll(b.String(), "```", "'''") + "```"
}

// Moved tells what a move did; it can be taken back.
func Moved(ctx context.Context, m index.Moved) Deed {
	note := catalog.Say(ctx, "Moved %s to %s.", text.Literal(m.From), text.Literal(m.To))
	if m.Links > 0 {
		note += " " + catalog.Say(ctx, "Changed %s in %s, so that they lead there.", catalog.Many(ctx, m.Links, "link"),
			catalog.Many(ctx, len(m.Notes), "file"))
	}
	if len(m.Left) > 0 {
		note += " " + catalog.Say(ctx, "Left as they are: the links in %s.", text.Literal(text.Shorten(strings.Join(m.Left, ", "), 200)))
	}
	return Deed{Note: note, Buttons: []chat.Button{{Label: catalog.Text(ctx, "Undo"), Data: "/notes undo"}}}
}
