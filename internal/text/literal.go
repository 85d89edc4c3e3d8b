package text

import "strings"

// Literal returns a text of somebody's as a part of Markdown on one line that is
// shown as it is, every character of it: nothing in it marks up, hides or links
// under another name. Line ends become a sign.
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
