package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// Table is what a table says: the text of its cells, each on one line, its head first.
type Table struct {
	Rows   [][]string
	Widths []int // of the columns
	how    []extast.Alignment
	width  func(string) int
}

// ReadTable reads a table; width returns how many columns a text takes.
func ReadTable(n *extast.Table, source []byte, width func(string) int) Table {
	t := Table{Widths: make([]int, len(n.Alignments)), how: n.Alignments, width: width}
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		row := make([]string, len(t.Widths))
		for c, i := r.FirstChild(), 0; c != nil && i < len(row); c, i = c.NextSibling(), i+1 {
			row[i] = cell(c, source)
			t.Widths[i] = max(t.Widths[i], width(row[i]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// cell returns the text of a cell on one line; in a block of code it ends nothing.
func cell(c ast.Node, source []byte) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(Plain(c, source)), " "), "```", "'''")
}

// Width returns how many columns all rows take as Row aligns them.
func (t Table) Width() int {
	total := 3 * (len(t.Widths) - 1)
	for _, w := range t.Widths {
		total += w
	}
	return total
}

// Row returns a row whose cells stand below those of the others.
func (t Table) Row(n int) string {
	cells := make([]string, len(t.Widths))
	for i, cell := range t.Rows[n] {
		gap := t.Widths[i] - t.width(cell)
		left := 0
		switch t.how[i] {
		case extast.AlignRight:
			left = gap
		case extast.AlignCenter:
			left = gap / 2
		}
		cells[i] = strings.Repeat(" ", left) + cell + strings.Repeat(" ", gap-left)
	}
	return strings.TrimRight(strings.Join(cells, " │ "), " ")
}

// Rule returns the line below the head.
func (t Table) Rule() string {
	dashes := make([]string, len(t.Widths))
	for i, w := range t.Widths {
		dashes[i] = strings.Repeat("─", w)
	}
	return strings.Join(dashes, "─┼─")
}
