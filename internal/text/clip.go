// Package text cuts, cleans and compares texts that people read. It never cuts
// within a visible character, removes invisible ones, and makes links show where
// they lead. It knows no platform and no language, and of Markdown only links and
// code.
package text

import (
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Clip returns the beginning of s, at most n runes. It never cuts within a visible
// character (an emoji of several runes, a letter with its accents), unless that alone is
// longer.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n <= 0 {
			return edge(s, i)
		}
		n--
	}
	return s
}

// ClipBytes is like Clip with a bound in bytes.
func ClipBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n = max(n, 0)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return edge(s, n)
}

// Shorten is like Clip, but marks an omission with "…", which counts among the n runes.
func Shorten(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	return Clip(s, n-1) + "…"
}

// ShortenWords is like Shorten, but ends after a whole word, unless the last one is
// longer than a third of what is kept.
func ShortenWords(s string, n int) string {
	short := Shorten(s, n)
	if short == s {
		return s
	}
	short = strings.TrimSuffix(short, "…")
	if next := strings.TrimPrefix(s, short); !strings.HasPrefix(next, " ") {
		if at := strings.LastIndexByte(short, ' '); at > len(short)*2/3 {
			short = short[:at]
		}
	}
	return strings.TrimRight(short, " ,;:") + "…"
}

// maxJoined is how far before a cut, in bytes, we look for the beginning of the visible
// character around it. No real one is longer.
const maxJoined = 1 << 10

// edge returns s up to at, or up to the beginning of the character that contains at.
func edge(s string, at int) string {
	from := max(0, at-maxJoined)
	for from > 0 && !plainBreak(s, from) {
		from--
	}
	last := from
	for it := graphemes.FromString(s[from:]); it.Next() && from+it.Start() <= at; {
		last = from + it.Start()
	}
	if last == 0 {
		last = at
	}
	return s[:last]
}

// plainBreak reports whether a character certainly begins at i: the only ASCII
// character that joins the one before it is a line feed after a carriage return.
func plainBreak(s string, i int) bool {
	return s[i] < utf8.RuneSelf && s[i] != '\n' && s[i-1] < utf8.RuneSelf
}

// ClipStart returns the end of s, at most n runes; like Clip, it does not cut within a
// visible character.
func ClipStart(s string, n int) string {
	left := utf8.RuneCountInString(s) - n
	if left <= 0 {
		return s
	}
	at := 0
	for i := range s {
		if at = i; left == 0 {
			break
		}
		left--
	}
	if n <= 0 {
		return ""
	}
	if from := len(edge(s, at)); from < at {
		it := graphemes.FromString(s[from:])
		it.Next()
		if end := from + it.End(); end < len(s) {
			at = end
		}
	}
	return s[at:]
}
