// Package document reads documents that are not plain text: what Word and Obsidian's
// canvas keep, and what others read of PDFs, as pieces that can be found and cited. It
// opens no file and starts no process. Whatever it is given, it stays within its
// bounds.
package document

import (
	"errors"
	"strings"

	"parley/internal/text"
)

// Paper is the text of a document.
type Paper struct {
	Title  string // "" when it has none of its own
	Pieces []Piece
	Partly string // what of it was not read, for people; "" when that is nothing
}

// Piece is a stretch of a document under one heading and on one page.
type Piece struct {
	Page    int    // from 1; 0 where nobody can know
	Heading string // the one it stands under, "" for none
	Trail   string // the headings above that, outermost first, with " › " between
	Text    string // lines; tables have a line for each row
}

// Why a document has no text; Why has words for people.
var (
	ErrBroken = errors.New("the document is damaged, or not what its name says")
	ErrLocked = errors.New("the document has a password, or Word's old format")
	ErrLarge  = errors.New("the document unpacks to more than is read")
	ErrBlank  = errors.New("the document has no text")
)

// Bounds of one document.
const (
	maxText   = 4 << 20 // bytes of its text
	maxPieces = 4000
	maxTitle  = 200 // characters
)

// trailMark stands between the headings of a trail.
const trailMark = " › "

// gather collects pieces within the bounds.
type gather struct {
	Paper
	size int
}

// add takes a piece unless it is blank; past the bounds it says that more was left
// out.
func (g *gather) add(p Piece) {
	p.Text = tidy(p.Text)
	if p.Text == "" {
		return
	}
	if left := maxText - g.size; len(p.Text) > left || len(g.Pieces) == maxPieces {
		g.Partly = "what follows the first 4 MB of text"
		if p.Text = text.ClipBytes(p.Text, left); p.Text == "" || len(g.Pieces) == maxPieces {
			return
		}
	}
	g.size += len(p.Text)
	g.Pieces = append(g.Pieces, p)
}

// tidy takes the spaces off the ends of lines, and empty lines off the ends of a
// text and out of rows of them.
func tidy(s string) string {
	var lines []string
	for line := range strings.SplitSeq(strings.ToValidUTF8(s, "\uFFFD"), "\n") {
		if line = strings.TrimRight(line, " \t\r\u00A0"); line == "" && (len(lines) == 0 || lines[len(lines)-1] == "") {
			continue
		}
		lines = append(lines, line)
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// oneLine is a text as a heading.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	return text.Clip(s, maxTitle)
}
