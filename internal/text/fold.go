package text

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

// Composed returns s with each letter and its accents as one character where there is one (NFC).
// macOS and some keyboards write them apart. It keeps lines as they are.
func Composed(s string) string { return norm.NFC.String(s) }

// Fold returns the form in which names are compared: composed, in lower case, with wide and
// half-wide letters as usual ones. Invalid bytes stay.
func Fold(s string) string {
	if plainASCII(s) {
		return strings.ToLower(s)
	}
	return norm.NFC.String(strings.ToLower(width.Fold.String(s)))
}

func plainASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
