package text

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// escapes are terminal control sequences: CSI, OSC and the two-byte ones.
var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\-_])")
})

// Strip removes what no model or log should read: terminal escapes, control characters
// other than newline and tab, and hidden characters (zero width, direction overrides, the
// tag block U+E0000). hidden counts the latter: they address models behind people's backs.
// Strip is stricter than Clean on controls, and keeps every joiner.
func Strip(s string) (stripped string, hidden int) {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if strings.ContainsRune(s, 0x1b) {
		s = escapes().ReplaceAllString(s, "")
	}
	stripped = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case smuggles(r):
			hidden++
			return -1
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, s)
	return stripped, hidden
}

// smuggles reports whether r is a character that hides words. The joiners
// U+200C and U+200D are not: Persian, Indic scripts and emoji need them.
func smuggles(r rune) bool {
	switch {
	case r == 0x200B, r == 0x200E, r == 0x200F, r == 0x2060, r == 0xFEFF, r == 0x00AD, r == 0x180E:
		return true
	case r >= 0x202A && r <= 0x202E, r >= 0x2061 && r <= 0x206F, r >= 0xFFF9 && r <= 0xFFFB, r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return false
}

// Plain removes controls, broken UTF-8, and invisible characters that can hide
// instructions.
func Plain(s string) string {
	s, _ = Strip(breaks.Replace(s))
	return s
}

// breaks turns every kind of line end into "\n".
var breaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")
