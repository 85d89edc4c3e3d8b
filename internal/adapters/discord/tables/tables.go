// Package tables lays the tables of Markdown out for Discord, which knows all of
// Markdown but them. It splits and sends nothing.
package tables

import (
	"bytes"
	"strings"

	"github.com/mattn/go-runewidth"
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
	table := markdown.ReadTable(t, source, runewidth.StringWidth)
	if table.Width() > widest && len(table.Rows) > 1 {
		return listed(table.Rows)
	}
	lines := make([]string, 0, len(table.Rows)+1)
	for i := range table.Rows {
		lines = append(lines, table.Row(i))
		if i == 0 {
			lines = append(lines, table.Rule())
		}
	}
	return "```\n" + strings.Join(lines, "\n") + "\n```"
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
