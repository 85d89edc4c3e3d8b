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
	Title  string // "" for none
	Pieces []Piece
	Partly string // which part was not read, for people; "" for none
}

// Piece is the text under one heading on one page.
type Piece struct {
	Page    int    // from 1; 0 if unknown
	Heading string // "" for none
	Trail   string // the headings above, outermost first, with " › " between
	Text    string // tables have a line for each row
}

// Why a document has no text. The function Why has words for people.
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

// gather collects pieces within the bounds.
type gather struct {
	Paper
	size int
}

// add adds a piece unless it is blank. Beyond the bounds it sets Partly.
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

// tidy removes spaces at the ends of lines, empty lines at both ends, and all but one of
// several empty lines.
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

// oneLine returns a text as a heading.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	return text.Clip(s, maxTitle)
}
