package facts

import (
	"fmt"
	"strings"

	"parley/internal/chat"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// wordsOnly is said in more than one place.
const wordsOnly = "Only #%d"

// maxTold limits the characters of a fact in a note.
const maxTold = 200

// Note tells people about a change; "" if there is nothing to tell.
func (c Change) Note(p catalog.Printer) string {
	is, was := quote(c.Fact.Content), quote(c.Was)
	switch {
	case c.ID == 0 || c.marks():
		return ""
	case c.Kind == Replaced:
		return p.Say("Noted: “%s” (#%d). It replaces: “%s”.", is, c.Fact.Number, was)
	case c.Kind == Forgotten && c.Learned:
		return p.Say("Forgotten: “%s”. The message that said so was deleted or changed. It is kept a day for Undo, then erased.", is)
	case c.Kind == Forgotten:
		return p.Say("Forgotten: “%s”. It is kept a day for Undo, then erased.", is)
	case c.Other.ID != 0:
		return p.Say("Noted: “%s” (#%d). It disagrees with “%s” (#%d). Both stand. Which is right?", is, c.Fact.Number, quote(c.Other.Content), c.Other.Number)
	}
	return p.Say("Noted: “%s” (#%d).", is, c.Fact.Number)
}

func quote(said string) string { return text.Literal(text.Shorten(said, maxTold)) }

// Buttons returns the buttons with which people can answer a change.
func (c Change) Buttons(p catalog.Printer) []chat.Button {
	if c.ID == 0 {
		return nil
	}
	undo := chat.Button{Label: p.Text("Undo"), Data: fmt.Sprintf("/facts undo %d", c.Number)}
	if c.Kind != Added || c.Other.ID == 0 {
		return []chat.Button{undo}
	}
	return []chat.Button{
		{Label: p.Say(wordsOnly, c.Fact.Number), Data: fmt.Sprintf("/facts keep =%d not:=%d", c.Fact.RowKey(), c.Other.RowKey())},
		{Label: p.Say(wordsOnly, c.Other.Number), Data: fmt.Sprintf("/facts keep =%d not:=%d", c.Other.RowKey(), c.Fact.RowKey())},
		{Label: p.Text("Both"), Data: fmt.Sprintf("/facts keep =%d", c.Fact.RowKey())},
	}
}

// Undid tells people what Undo did.
func Undid(p catalog.Printer, list []Change) string {
	var lines []string
	for _, c := range list {
		switch c.Kind {
		case Added:
			lines = append(lines, p.Say("Undone: I no longer remember “%s”.", quote(c.Was)))
		case Replaced:
			words := p.Text("Undone. Fact #%d says again: “%s”.")
			if c.marks() {
				words = p.Text("Undone. Fact #%d is as it was: “%s”.")
			}
			lines = append(lines, p.Say(words, c.Fact.Number, quote(tagged(c.Fact))))
		case Forgotten:
			lines = append(lines, p.Say("Undone. I remember again (#%d): “%s”.", c.Fact.Number, quote(c.Fact.Content)))
		}
	}
	const most = 10
	if n := len(lines) - most; n > 0 {
		lines = append(lines[:most], p.Say("… and %d more.", n))
	}
	return strings.Join(lines, "\n")
}

// maxNoted limits the changes that one answer tells. The next answer continues.
const maxNoted = 3

// Notes tells people about changes, below an answer.
type Notes struct {
	In      catalog.Printer
	List    []Change // of this turn
	IDs     []int64  // of the changes that are told
	Below   string   // follows the answer
	Buttons [][]chat.Button
}

// Tell adds the changes that v was not told yet to those of a turn. With rote, the answer
// itself tells the changes, and gets only the buttons. Changes that cannot be read now are
// told with a later answer.
func (s *Store) Tell(v Viewer, n Notes, rote bool) Notes {
	more, _ := s.Untold(v, maxNoted)
	n.List = append(n.List, more...)
	for _, c := range n.List[:min(len(n.List), maxNoted)] {
		if !rote {
			n.Below += "\n" + c.Note(n.In)
		}
		n.IDs, n.Buttons = append(n.IDs, c.ID), append(n.Buttons, c.Buttons(n.In))
	}
	if n.Below != "" {
		n.Below = "\n" + n.Below
	}
	return n
}
