package agent

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/chat"
	"parley/internal/provenance"
	"parley/internal/text"
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
	text   string
	notice string // said before the answer: the text was cut
	files  attachments
	quoted provenance.Via // ViaQuoted where the quotation is not the person's own
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
// invisible characters that hide instructions.
func clean(s string) string {
	s, _ = text.Strip(breaks.Replace(s))
	return s
}

// breaks turns every kind of line end into "\n".
var breaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// label makes a display name harmless: authority never comes from it, and it
// must not look like a role.
func label(name string) string { return provenance.Label(clean(name)) }

// plain keeps the letters, digits and a few signs of a name, so that nothing in
// it can be mistaken for markup.
func plain(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" .-_'", r) {
			return r
		}
		return ' '
	}, clean(name))
	return strings.Join(strings.Fields(text.Clip(name, maxName)), " ")
}
