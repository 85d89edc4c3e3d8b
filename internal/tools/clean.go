package tools

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	whole "parley/internal/text"
)

// lazily is a pattern that is compiled when it is first needed: most processes
// come by few of them.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// escapes are terminal control sequences: CSI, OSC and the two-byte ones.
var escapes = lazily("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\-_])")

// Clean removes from text what is not for reading: terminal escapes, control
// characters other than newline and tab, and characters nobody sees (zero
// width, direction overrides, the tag block U+E0000). hidden counts the
// latter: text that carries them wants to be read by a model only.
func Clean(text string) (clean string, hidden int) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if strings.ContainsRune(text, 0x1b) {
		text = escapes().ReplaceAllString(text, "")
	}
	clean = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case invisible(r):
			hidden++
			return -1
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, text)
	return clean, hidden
}

// invisible leaves the joiners U+200C and U+200D alone: Persian, Indic
// scripts and emoji are written with them.
func invisible(r rune) bool {
	switch {
	case r == 0x200B, r == 0x200E, r == 0x200F, r == 0x2060, r == 0xFEFF, r == 0x00AD, r == 0x180E:
		return true
	case r >= 0x202A && r <= 0x202E, r >= 0x2061 && r <= 0x206F, r >= 0xFFF9 && r <= 0xFFFB, r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return false
}

// cut shortens text to at most limit bytes, between characters.
func cut(text string, limit int) (string, bool) {
	short := whole.ClipBytes(text, limit)
	return short, len(short) < len(text)
}

var envelopeTag = lazily(`(?i)<(\s*/?\s*outside_data)`)

// envelope marks text as data. What looks like the mark inside is defused, so
// the text cannot close it.
func envelope(tool, text string) string {
	text = envelopeTag().ReplaceAllString(text, "‹$1")
	return outsideMark + " tool=\"" + tool + "\">\n" + text + "\n</outside_data>\n" + wordOutside
}

// outsideMark begins the envelope around what comes from outside.
const outsideMark = "<outside_data"
