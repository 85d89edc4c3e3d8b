package terminal

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// narrowest is the width, in characters, below which breaking between words
// does more harm than good.
const narrowest = 20

var style = regexp.MustCompile("\x1b\\[[0-9;]*m")

// wrap breaks the lines of a rendered text between words, as far as they are
// wider than a window. Code keeps its lines. What it makes of a text begins
// with what it made of any beginning of it that ends with a word (see whole).
func wrap(text string, width int) string {
	if width < narrowest {
		return text
	}
	lines := strings.Split(text, "\n")
	fence := false
	for i, line := range lines {
		switch {
		case strings.HasPrefix(style.ReplaceAllString(line, ""), "```"):
			fence = !fence
		case !fence:
			lines[i] = wrapLine(line, width)
		}
	}
	return strings.Join(lines, "\n")
}

// wrapLine goes on below the text of a list's entry, not below its mark.
func wrapLine(line string, width int) string {
	var b strings.Builder
	column, hang := 0, ""
	if strings.HasPrefix(line, "- ") {
		hang = "  "
	}
	for i, word := range strings.Split(line, " ") {
		wide := utf8.RuneCountInString(style.ReplaceAllString(word, ""))
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

// whole is the part of an unfinished text whose words are all there: one that
// still grows may yet have to move to the next line. The first of a line never
// does.
func whole(text string) string {
	if at := strings.LastIndexAny(text, " \n"); at >= 0 && text[at] == ' ' {
		return text[:at]
	}
	return text
}
