package terminal

import (
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/adapters/terminal/lineedit"
	"parley/internal/text"
)

// narrowest is the width, in columns, below which lines are not wrapped.
const narrowest = 20

// style matches sequences for styles, and the beginning and end of links.
var style = text.Pattern("\x1b\\[[0-9;]*m|\x1b\\]8;;[^\x1b]*\x1b\\\\")

// wide returns how many columns a text takes, styles aside.
func wide(s string) int { return lineedit.Width(style().ReplaceAllString(s, "")) }

// wrapLine breaks a line between words where it is wider than width, unless
// that is 0; what follows a break begins with hang.
func wrapLine(line string, width int, hang string) string {
	if width == 0 {
		return line
	}
	var b strings.Builder
	column := 0
	for i, word := range strings.Split(line, " ") {
		wide := wide(word)
		switch {
		case i == 0:
		case column+1+wide > width:
			b.WriteString("\n" + hang)
			column = len(hang)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += wide
	}
	return b.String()
}

// breakLines wraps a styled text. It ends styles before each break and starts them again
// after it.
func breakLines(text string, width int) []string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, strings.Split(wrapLine(line, width, ""), "\n")...)
	}
	on, link := "", ""
	for i, line := range lines {
		lines[i] = link + on + line
		for _, s := range style().FindAllString(line, -1) {
			switch {
			case s == linkEnd:
				link = ""
			case strings.HasPrefix(s, linkStart):
				link = s
			case s == styleOff:
				on = ""
			default:
				on += s
			}
		}
		if i == len(lines)-1 {
			break
		}
		if on != "" {
			lines[i] += styleOff
		}
		if link != "" {
			lines[i] += linkEnd
		}
	}
	return lines
}

// whole returns the part of an unfinished text whose words are complete: a growing word may
// have to move to the next line, unless it is the first of its line.
func whole(text string) string {
	if at := strings.LastIndexAny(text, " \n"); at >= 0 && text[at] == ' ' {
		return text[:at]
	}
	return text
}

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

// Fit breaks the lines of a text between words where a terminal is too narrow for them;
// what follows a break keeps the line's indentation.
func Fit(tty *os.File, text string) string {
	width, _ := windowOf(tty)
	return fitted(text, width)
}

func fitted(text string, width int) string {
	if width < narrowest {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		indent := indentOf(line)
		lines[i] = wrapLine(line, width, indent)
		// The rest of a sentence that goes on below stands before it, not alone.
		at := strings.LastIndexByte(lines[i], '\n')
		if at >= 0 && i+1 < len(lines) && goesOn(lines[i+1], indent) {
			lines[i+1] = lines[i][at+1:] + " " + strings.TrimLeft(lines[i+1], " ")
			lines[i] = lines[i][:at]
		}
	}
	return strings.Join(lines, "\n")
}

func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " "))] }

// goesOn reports whether a line continues the sentence of the one above it.
func goesOn(line, indent string) bool {
	first, _ := utf8.DecodeRuneInString(line[len(indentOf(line)):])
	return indentOf(line) == indent && unicode.IsLower(first)
}
