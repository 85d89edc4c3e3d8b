package provenance

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"
	"unicode"
)

// People choose their names and write what they like. What models and lists show is written
// so that neither can look like another person's words.

// Assistant is the name of the bot's own words in lists of what was said.
const Assistant = "assistant"

// maxLabel limits the runes of a name.
const maxLabel = 64

// Label reduces a display name to letters, digits, spaces and - _ . ', so that it can look
// like nothing but a name. An empty name becomes someone.
func Label(name string) string {
	n := 0
	name = strings.Map(func(r rune) rune {
		if n++; n > maxLabel {
			return -1
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" .-_'", r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(name, ""))
	if name = strings.Join(strings.Fields(name), " "); name == "" {
		return "someone"
	}
	return name
}

// Sign returns a sign that distinguishes people whose names are equal or look alike. A person
// always has the same sign, and no Label contains one.
func Sign(user string) string {
	sum := sha256.Sum256([]byte("speaker " + user))
	return "~" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:5])[:4])
}

// isBreak reports whether some program begins a new line after a character.
func isBreak(r rune) bool {
	return r == '\n' || r == '\r' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

// Lines returns the lines of a text, whatever ends them.
func Lines(text string) []string {
	return strings.FieldsFunc(strings.ReplaceAll(text, "\r\n", "\n"), isBreak)
}

// OneLine returns a text on one line, with a wide space for its line ends: a quotation has
// no sign that nobody wrote.
func OneLine(text string) string { return strings.Join(Lines(text), "   ") }

// Under returns a text to stand after its speaker's name. Each line but the first begins with
// a bar, so that none can look like another speaker's.
func Under(text string) string { return strings.Join(Lines(text), "\n| ") }

// Shown returns a person's words as they are shown. Forwarded and overheard ones are marked.
func Shown(content string, via Via) string {
	if via&ViaForwarded != 0 {
		content = "[forwarded] " + content
	}
	if via&ViaOverheard != 0 {
		content = "[overheard] " + content
	}
	return content
}
