package daily

import "strings"

// heading is the heading below which lines are added.
const heading = "## Parley"

// With returns a note with one more line below heading, which it adds if it is missing.
// ok is false if the line is there already. Everything else stays the same, byte for
// byte.
func With(note, line string) (next string, ok bool) {
	eol := "\n"
	if 2*strings.Count(note, "\r\n") > strings.Count(note, "\n") {
		eol = "\r\n"
	}
	at, last := -1, 0 // the ends of the heading and of the text below it
	pos := 0
	for l := range strings.Lines(note) {
		bare := strings.TrimRight(l, " \t\r\n")
		pos += len(l)
		switch {
		case at < 0 && bare == heading:
			at, last = pos, pos
		case at >= 0 && (strings.HasPrefix(bare, "# ") || strings.HasPrefix(bare, "## ")):
			return inserted(note, last, line, eol), true
		case at >= 0 && bare == line:
			return note, false
		case at >= 0 && bare != "":
			last = pos
		}
	}
	if at >= 0 {
		return inserted(note, last, line, eol), true
	}
	gap := ""
	switch {
	case note == "":
	case strings.HasSuffix(note, "\n"+eol) || strings.HasSuffix(note, eol+eol):
	case strings.HasSuffix(note, "\n"):
		gap = eol
	default:
		gap = eol + eol
	}
	return note + gap + heading + eol + eol + line + eol, true
}

// inserted inserts a line after another, which ends at at.
func inserted(note string, at int, line, eol string) string {
	before, after := note[:at], note[at:]
	if !strings.HasSuffix(before, "\n") {
		before += eol
	}
	if strings.TrimRight(before, "\r\n \t") == before[:len(before)-len(eol)] && strings.HasSuffix(strings.TrimRight(before, "\r\n"), heading) {
		before += eol
		after = strings.TrimPrefix(after, eol)
	}
	return before + line + eol + after
}
