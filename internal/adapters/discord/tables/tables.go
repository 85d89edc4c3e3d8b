// Package tables lays the tables of Markdown out for Discord, which knows all of
// Markdown but them. It splits and sends nothing.
package tables

import (
	"bytes"
	"strings"

	"github.com/mattn/go-runewidth"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"parley/internal/text/markdown"
)

// widest is how many columns of code a window of Discord shows without breaking
// lines, on a small screen.
const widest = 60

// Aligned returns Markdown whose tables became aligned code or, when they are wide, lists
// of their cells. All else stays as it is.
func Aligned(s string) string {
	if !strings.Contains(s, "|") || !strings.Contains(s, "-") {
		return s
	}
	doc, source := markdown.Parse(s)
	var b strings.Builder
	done := 0
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		t, ok := n.(*extast.Table)
		if !ok {
			continue
		}
		from, to := extent(t, source)
		if from < done {
			continue
		}
		b.Write(source[done:from])
		b.WriteString(drawn(t, source))
		done = to
	}
	if done == 0 {
		return s
	}
	b.Write(source[done:])
	return b.String()
}

// extent returns where the lines of a table begin and end, without the last break.
func extent(t *extast.Table, source []byte) (from, to int) {
	from = bytes.LastIndexByte(source[:t.FirstChild().FirstChild().Pos()], '\n') + 1
	to = from
	for range t.ChildCount() + 1 { // with the line below the head
		end := bytes.IndexByte(source[to:], '\n')
		if end < 0 {
			return from, len(source)
		}
		to += end + 1
	}
	return from, to - 1
}

// drawn draws a table.
func drawn(t *extast.Table, source []byte) string {
	var rows [][]string
	widths := make([]int, len(t.Alignments))
	for r := t.FirstChild(); r != nil; r = r.NextSibling() {
		row := make([]string, len(widths))
		for c, i := r.FirstChild(), 0; c != nil && i < len(row); c, i = c.NextSibling(), i+1 {
			row[i] = cellText(c, source)
			widths[i] = max(widths[i], runewidth.StringWidth(row[i]))
		}
		rows = append(rows, row)
	}
	total := 3 * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	if total > widest && len(rows) > 1 {
		return listed(rows)
	}
	lines := make([]string, 0, len(rows)+3)
	for i, row := range rows {
		lines = append(lines, strings.TrimRight(align(row, widths, t.Alignments), " "))
		if i == 0 {
			dashes := make([]string, len(widths))
			for k, w := range widths {
				dashes[k] = strings.Repeat("─", w)
			}
			lines = append(lines, strings.Join(dashes, "─┼─"))
		}
	}
	return "```\n" + strings.Join(lines, "\n") + "\n```"
}

// cellText returns the text of a cell on one line; it cannot end the code around it.
func cellText(c ast.Node, source []byte) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(markdown.Plain(c, source)), " "), "```", "'''")
}

// align puts the cells of a row below those of the others.
func align(row []string, widths []int, how []extast.Alignment) string {
	cells := make([]string, len(row))
	for i, cell := range row {
		gap := widths[i] - runewidth.StringWidth(cell)
		left := 0
		switch how[i] {
		case extast.AlignRight:
			left = gap
		case extast.AlignCenter:
			left = gap / 2
		}
		cells[i] = strings.Repeat(" ", left) + cell + strings.Repeat(" ", gap-left)
	}
	return strings.Join(cells, " │ ")
}

// listed writes each row as a list of its cells, with their heads.
func listed(rows [][]string) string {
	var blocks []string
	for _, row := range rows[1:] {
		var lines []string
		for i, cell := range row {
			if cell != "" {
				lines = append(lines, "- **"+rows[0][i]+":** "+cell)
			}
		}
		blocks = append(blocks, strings.Join(lines, "\n"))
	}
	return strings.Join(blocks, "\n\n")
}
