package text

import "strings"

// Plain drops what is not text: NUL and other controls, broken UTF-8, and the
// invisible characters that hide instructions.
func Plain(s string) string {
	s, _ = Strip(breaks.Replace(s))
	return s
}

// breaks turns every kind of line end into "\n".
var breaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")
