package terminal

import (
	"strings"

	"parley/internal/adapters/terminal/lineedit"
	"parley/internal/text"
)

// narrowest is the width, in columns, below which wrapping does more harm than good.
const narrowest = 20

// style matches what changes the look of text, and the beginning and end of links.
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

// breakLines wraps a styled text; a style that spans a break is ended before it and
// started again after it.
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

// whole returns the part of an unfinished text whose words are complete: a word that
// still grows may have to move to the next line, except for the first of a line.
func whole(text string) string {
	if at := strings.LastIndexAny(text, " \n"); at >= 0 && text[at] == ' ' {
		return text[:at]
	}
	return text
}
