package text

import "strings"

// Literal escapes a text for Markdown on one line, so that every character is shown
// as it is: nothing in it is markup, hides anything or links anywhere. Line ends
// become a sign.
func Literal(s string) string {
	s, _ = Strip(s)
	var b strings.Builder
	for i, line := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r) }) {
		if i > 0 {
			b.WriteString(" ⏎ ")
		}
		for _, r := range line {
			if strings.ContainsRune("\\`*_[]<>|~&", r) {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}
