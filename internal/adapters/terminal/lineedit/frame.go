package lineedit

import (
	"fmt"
	"strings"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/mattn/go-runewidth"
)

// Frame is the layout of the line: its rows, and the place of the cursor.
type Frame struct {
	rows     []row
	row, col int
}

// row is one row of a window.
type row struct {
	text string
	soft bool // wrapped by the window: copied, it is one line with the next
}

const (
	reversed = "\x1b[7m"
	dim      = "\x1b[2m"
	plainly  = "\x1b[0m"
)

func paint(s, style string, styled bool) string {
	if !styled {
		return s
	}
	return style + s + plainly
}

// Width returns how many columns a text takes.
func Width(s string) int { return runewidth.StringWidth(s) }

// cutTo shortens a text to so many columns.
func cutTo(s string, width int) string {
	if Width(s) <= width {
		return s
	}
	return runewidth.Truncate(s, width, "…")
}

// View lays the line out for a window of so many columns and rows.
func (e *Editor) View(width, height int) Frame {
	width, height = max(width, 4), max(height, 2)
	prompt := e.Prompt
	if s := e.search; s != nil {
		words := "(search “%s”)"
		if s.lost {
			words = "(nothing has “%s”)"
		}
		prompt = cutTo(fmt.Sprintf(words, s.query), max(width-2, 1)) + " "
	}
	f := layOut(prompt, e.text, e.at, width)
	var below []row
	if e.choices != nil {
		below = e.choices.rows(width, height/2, e.Styled)
	}
	f.window(max(1, height-1-len(below)))
	f.rows = append(f.rows, below...)
	return f
}

// window keeps the rows around the cursor when there are more than most.
func (f *Frame) window(most int) {
	if len(f.rows) <= most {
		return
	}
	from := min(max(0, f.row-most/2), len(f.rows)-most)
	f.rows, f.row = f.rows[from:from+most], f.row-from
	f.rows[most-1].soft = false
}

// layOut breaks a text into rows as a terminal does, at its last column.
func layOut(prompt, text string, at, width int) (f Frame) {
	var line strings.Builder
	line.WriteString(prompt)
	indent := Width(prompt)
	column := indent
	next := func(soft bool) {
		f.rows = append(f.rows, row{line.String(), soft})
		line.Reset()
		column = 0
	}
	place := func() { f.row, f.col = len(f.rows), column }
	for it := graphemes.FromString(text); it.Next(); {
		c := it.Value()
		if c == "\n" {
			if it.Start() == at {
				place()
			}
			next(false)
			line.WriteString(strings.Repeat(" ", min(indent, width/2)))
			column = min(indent, width/2)
			continue
		}
		if c == "\t" {
			c = "    "
		}
		wide := Width(c)
		if column+wide > width {
			next(true)
		}
		if it.Start() == at {
			place()
		}
		line.WriteString(c)
		column += wide
	}
	if at >= len(text) {
		if column >= width { // a space makes the window break the row
			next(true)
			line.WriteByte(' ')
		}
		place()
	}
	f.rows = append(f.rows, row{text: line.String()})
	f.col = min(f.col, width-1)
	return f
}

// Row returns the row of the cursor, from 0.
func (f Frame) Row() int { return f.row }

// Draw returns output that replaces another frame, on whose row above the cursor is, with
// this one.
func (f Frame) Draw(above int) string {
	var b strings.Builder
	b.WriteString(Erase(above))
	for i, r := range f.rows {
		b.WriteString(r.text)
		if i < len(f.rows)-1 && !r.soft {
			b.WriteString("\r\n")
		}
	}
	if up := len(f.rows) - 1 - f.row; up > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", up)
	}
	b.WriteString("\r")
	if f.col > 0 {
		fmt.Fprintf(&b, "\x1b[%dC", f.col)
	}
	return b.String()
}

// Erase returns output that removes a frame on whose row above the cursor is.
func Erase(above int) string {
	if above > 0 {
		return fmt.Sprintf("\x1b[%dA\r\x1b[J", above)
	}
	return "\r\x1b[J"
}
