package chat

import (
	"slices"

	"parley/internal/text"
)

// visible is a part without characters that nobody sees or that turn the
// direction of text, whoever wrote them: a model, a page, a person in a name.
// All that is sent passes here.
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

// Seen is an answer as people may see it: without characters that nobody sees,
// and with the host behind each link that looks as if it led elsewhere. Whoever
// splits a text into parts without a Handler calls it before.
func Seen(markdown string) string { return text.Honest(text.Clean(markdown)) }
