package agent

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/text"
)

// How much of a message is used, and from where on it is refused
// (requirements C5), in runes.
const (
	maxUsed   = 4000
	maxTaken  = 10_000
	maxQuoted = 500
	maxName   = 64
)

// input is a message made fit for the model.
type input struct {
	text   string
	notice string // said before the answer: the text was cut
	files  attachments
	quoted memory.Via // ViaQuoted where the quotation is not the person's own
}

// readInput applies the limits. refusal is said instead of an answer; an empty
// text without one means that there is nothing to answer.
func readInput(m chat.Message) (in input, refusal string) {
	s := strings.TrimSpace(clean(m.Text))
	n := utf8.RuneCountInString(s)
	switch {
	case n > maxTaken:
		return input{}, wordsTooLong
	case n > maxUsed:
		in.notice = wordsCut
		s = text.Clip(s, maxUsed)
	}
	in.text = s
	return in, ""
}

// clean drops what is not text: NUL and other controls, broken UTF-8, and the
// invisible characters that hide instructions (promises.md C41, C54).
func clean(s string) string {
	s, _ = text.Strip(breaks.Replace(s))
	return s
}

// breaks makes of all that ends a line the one that is looked for.
var breaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// label makes a display name one harmless word group: authority never comes
// from it, and it must not look like a role (promises.md C12).
func label(name string) string { return memory.Label(clean(name)) }

// plain leaves of a name what cannot be mistaken for anything else.
func plain(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" .-_'", r) {
			return r
		}
		return ' '
	}, clean(name))
	return strings.Join(strings.Fields(text.Clip(name, maxName)), " ")
}
