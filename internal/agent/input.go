package agent

import (
	"strings"
	"unicode/utf8"

	"parley/internal/agent/attachments"
	"parley/internal/chat"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// How many runes of a message are used, and from which length on it is refused.
const (
	maxUsed   = 4000
	maxTaken  = 10_000
	maxQuoted = 500
	maxName   = 64
)

// input is a message prepared for the model.
type input struct {
	p      catalog.Printer // the language of its author
	chosen bool            // which they chose themselves
	text   string
	notice string // said before the answer: the text was cut
	files  attachments.Opened
	quoted provenance.Via // ViaQuoted where the quotation is not the person's own
}

// readInput applies the limits. refusal is said instead of an answer; an empty
// text without one means that there is nothing to answer.
func readInput(p catalog.Printer, m chat.Message) (in input, refusal string) {
	in.p = p
	s := strings.TrimSpace(text.Plain(m.Text))
	n := utf8.RuneCountInString(s)
	switch {
	case n > maxTaken:
		return input{}, p.Text("That message is too long for me (more than 10,000 characters). Please send it in smaller pieces.")
	case n > maxUsed:
		in.notice = p.Text(wordsCut)
		s = text.Clip(s, maxUsed)
	}
	in.text = s
	return in, ""
}
