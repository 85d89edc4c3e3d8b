package lineedit

import (
	"strings"
	"unicode"

	"parley/internal/llm/provider"
	"parley/internal/text"
)

// named matches a secret by the words before it.
var named = text.Pattern(
	`(?i)(?:pass(?:word|wort|code|phrase)|\bpwd|\bpin|token|secret|api[ _-]?key|bearer|authorization)\b(?:\s*[:=]\s*\S|\s+(?:is|ist|es|est)\s+\S|\s+\S*\d)`)

// Secret reports whether a line seems to hold a password, a key or a code that
// should be on no disk; tokens are of the platforms. It errs on the side of yes: then the line only has to be
// typed again.
func Secret(line string, tokens provider.Forms) bool {
	if named().MatchString(line) || strings.Contains(line, "-----BEGIN") || strings.HasPrefix(strings.TrimSpace(line), "/claim") {
		return true
	}
	for word := range strings.FieldsFuncSeq(line, func(r rune) bool {
		return unicode.IsSpace(r) ||
			strings.ContainsRune(`"'<>(),;=`+"`", r)
	}) {
		if len(word) >= 16 && tokens.Owner(word) != "" || random(word) {
			return true
		}
	}
	return hasPassword().MatchString(line)
}

// hasPassword matches an address with a password.
var hasPassword = text.Pattern(`://[^/\s:@]+:[^/\s@]+@`)

// random reports whether a word looks randomly generated.
func random(word string) bool {
	if len(word) < 20 || strings.Contains(word, "/") || strings.Contains(word, "://") {
		return false
	}
	var upper, lower, digits, others int
	for _, r := range word {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r >= 'a' && r <= 'z':
			lower++
		case r >= 'A' && r <= 'Z':
			upper++
		case strings.ContainsRune("_-+.:", r):
			others++
		default:
			return false
		}
	}
	return digits >= 3 && upper+lower >= 3 && (upper >= 2 && lower >= 2 || others == 0 && digits >= 6)
}
