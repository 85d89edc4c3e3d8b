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

// seen is what people see of a text.
func seen(s string) string { return text.Clean(s) }
