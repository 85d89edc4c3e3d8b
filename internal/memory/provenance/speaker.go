package provenance

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"
	"unicode"
)

// People choose their names and write what they like. What is shown to a model,
// or in a list, is written so that neither can look like somebody else's words.

// Assistant is the name of the bot's own words in lists of what was said.
const Assistant = "assistant"

// maxLabel is how much of a name is shown, in runes.
const maxLabel = 64

// Label leaves of a display name what cannot be mistaken for anything but a
// name: letters, digits, spaces and - _ . '. A name of nothing is someone.
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

// Sign tells people of one name, or of names that look the same, apart. It is
// always the same for a person, and no Label has one.
func Sign(user string) string {
	sum := sha256.Sum256([]byte("speaker " + user))
	return "~" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:5])[:4])
}

// isBreak reports whether a program may begin a new line there.
func isBreak(r rune) bool {
	return r == '\n' || r == '\r' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

// Lines returns the lines of a text, whatever ends them.
func Lines(text string) []string {
	return strings.FieldsFunc(strings.ReplaceAll(text, "\r\n", "\n"), isBreak)
}

// OneLine returns a text on one line, with a sign where its lines ended.
func OneLine(text string) string { return strings.Join(Lines(text), " ⏎ ") }

// Under returns a text below its speaker's name: each line but the first begins with
// a bar, so that none can look like a line of somebody else's.
func Under(text string) string { return strings.Join(Lines(text), "\n| ") }

// Shown returns what somebody said as it is shown: passed on words are marked.
func Shown(content string, via Via) string {
	if via&ViaForwarded != 0 {
		return "[forwarded] " + content
	}
	return content
}
