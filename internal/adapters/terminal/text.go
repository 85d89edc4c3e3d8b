package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/text"
)

// tidy turns typed bytes into text: valid UTF-8 without NUL.
func tidy(line string) string {
	line = strings.TrimRight(line, "\r\n")
	return strings.ReplaceAll(strings.ToValidUTF8(line, string(utf8.RuneError)), "\x00", "")
}

// sequence matches control sequences of terminals: CSI, OSC and its relatives, and
// two-character escapes.
var sequence = text.Pattern(
	`(?:\x1b\[|\x{9b})[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x{9d}\x{90}\x{98}\x{9e}\x{9f}])[^\x07\x1b\x{9c}]*(?:\x07|\x1b\\|\x{9c})|\x1b[ -/]*[0-Z\\^-~]`)

// clean removes everything from an answer that could control the terminal; line
// breaks and tabs stay.
func clean(text string) string {
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	if !strings.ContainsFunc(text, isControl) {
		return text
	}
	text = sequence().ReplaceAllString(text, "")
	return strings.Map(func(r rune) rune { // what the pattern left, or put together
		if isControl(r) {
			return -1
		}
		return r
	}, text)
}

func isControl(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

func oneLine(text string) string {
	return strings.Join(strings.Fields(clean(text)), " ")
}
