package terminal

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tidy makes typed bytes a text: valid UTF-8 without NUL.
func tidy(line string) string {
	line = strings.TrimRight(line, "\r\n")
	return strings.ReplaceAll(strings.ToValidUTF8(line, string(utf8.RuneError)), "\x00", "")
}

// sequence matches what terminals take as orders: CSI, OSC and its relatives,
// and two-character escapes.
var sequence = regexp.MustCompile(`(?:\x1b\[|\x{9b})[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x{9d}\x{90}\x{98}\x{9e}\x{9f}])[^\x07\x1b\x{9c}]*(?:\x07|\x1b\\|\x{9c})|\x1b[ -/]*[0-Z\\^-~]`)

// clean takes from an answer everything that could steer the terminal; line
// breaks and tabs stay.
func clean(text string) string {
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	if !strings.ContainsFunc(text, isControl) {
		return text
	}
	text = sequence.ReplaceAllString(text, "")
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

const (
	styleBold = "\x1b[1m"
	styleCode = "\x1b[36m"
	styleDim  = "\x1b[2m"
	styleOff  = "\x1b[0m"
)

// render turns bold and code of Markdown into styles. What it makes of a text
// begins with what it made of any beginning of it, so that a growing answer can
// be printed piece by piece; therefore an unfinished text must not end within
// a run of marks (see settled). Open styles are left open.
func render(text string) string {
	var b strings.Builder
	bold, code, fence := false, false, false
	for i := 0; i < len(text); {
		rest := text[i:]
		switch {
		case strings.HasPrefix(rest, "```") && (i == 0 || text[i-1] == '\n'):
			fence, bold, code = !fence, false, false
			b.WriteString(styleOff + "```")
			if fence {
				b.WriteString(styleCode)
			}
			i += 3
		case rest[0] == '`' && !fence:
			code = !code
			toggle(&b, code, bold, styleCode)
			i++
		case strings.HasPrefix(rest, "**") && !fence && !code && (bold || len(rest) > 2 && !isSpace(rest[2])):
			bold = !bold
			toggle(&b, bold, false, styleBold)
			i += 2
		case rest[0] == '\n' && !fence && (bold || code):
			bold, code = false, false
			b.WriteString(styleOff + "\n")
			i++
		default:
			b.WriteByte(rest[0])
			i++
		}
	}
	return b.String()
}

func toggle(b *strings.Builder, on, stillBold bool, style string) {
	switch {
	case on:
		b.WriteString(style)
	default:
		b.WriteString(styleOff)
		if stillBold {
			b.WriteString(styleBold)
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' }

// settled is the part of an unfinished text that render will not see otherwise
// when more comes.
func settled(text string) string { return strings.TrimRight(text, "*`") }
