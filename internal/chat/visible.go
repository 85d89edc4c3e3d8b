package chat

import (
	"slices"

	"parley/internal/text"
)

// visible removes invisible characters and those that turn the direction of text
// from a part, whoever wrote them: a model, a page, a person in a name.
// Everything that is sent passes through here.
func visible(p Part) Part {
	p.Text = text.Clean(p.Text)
	p.Files = slices.Clone(p.Files)
	for i := range p.Files {
		p.Files[i].Name = text.Clean(p.Files[i].Name)
	}
	p.Buttons = slices.Clone(p.Buttons)
	for i, row := range p.Buttons {
		row = slices.Clone(row)
		for j := range row {
			row[j].Label = text.Clean(row[j].Label)
		}
		p.Buttons[i] = row
	}
	return p
}

// Seen returns an answer as people may see it: without invisible characters, and
// with the real host after each link that looks as if it led elsewhere. Code that
// splits a text into parts without a Handler must call it first.
func Seen(markdown string) string { return text.Honest(text.Clean(markdown)) }
