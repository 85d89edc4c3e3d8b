// Package urls finds the addresses in a text that a platform or a reader turns
// into links, and makes them harmless, also in errors. It does not judge which are.
package urls

import (
	"strings"

	"parley/internal/text"
)

// pattern matches an address: with a scheme, or one that platforms turn into a link
// without. The second group is a name and nothing else.
var pattern = text.Pattern(
	"(?i)((?:[a-z][a-z0-9+.-]*://|(?:[\\pL\\pN_-]+\\.)+\\pL{2,24}(?::\\d+)?[/?])[^\\s<>\"`]+)|((?:[\\pL\\pN_-]+\\.)+(?:xn--[a-z0-9-]+|\\pL{2,63}))")

// unmarked is text without what Markdown hides.
var unmarked = strings.NewReplacer(`\`, "", "*", "", "_", "", "~", "", "|", "", "`", "")

// Joined returns a text without its Markdown where that breaks an address into
// pieces, so that Each sees it whole; otherwise the text as it is.
func Joined(text string) string {
	if plain := unmarked.Replace(text); pieced(text, plain) {
		return plain
	}
	return text
}

// pieced reports whether plain, which is text without marks, has an address that
// text has only in pieces.
func pieced(text, plain string) bool {
	whole := map[string]bool{}
	Each(text, func(a string) string { whole[unmarked.Replace(a)] = true; return a })
	found := false
	Each(plain, func(a string) string { found = found || !whole[a]; return a })
	return found
}

// Each replaces each address in a text with the result of f. Names alone are
// addresses where they have parts that nobody registered, which could tell something.
func Each(text string, f func(string) string) string {
	var b strings.Builder
	for {
		at := pattern().FindStringSubmatchIndex(text)
		if at == nil {
			return b.String() + text
		}
		end, found := at[1], text[at[0]:at[1]]
		if named := at[4] >= 0; !named {
			found = extent(found)
			end = at[0] + len(found)
			found = f(found)
		} else if before := text[:at[0]]; Carries(found) && !strings.HasSuffix(before, "@") && !strings.HasSuffix(before, "/") {
			found = f(found)
		}
		b.WriteString(text[:at[0]] + found)
		text = text[end:]
	}
}

// extent returns the address that a run of characters begins with: without the
// bracket that closes what it stands in, and without the end of a sentence.
func extent(run string) string {
	open := 0
	for i, r := range run {
		switch r {
		case '(', '[', '{':
			open++
		case ')', ']', '}':
			if open--; open < 0 {
				run = run[:i]
			}
		}
		if open < 0 {
			break
		}
	}
	return strings.TrimRight(run, ".,;:!?*_~'|\\")
}

var hypertext = text.Pattern("(?i)h(tt)p")

// Defang rewrites an address so that no program turns it into a link.
func Defang(a string) string {
	switch {
	case !strings.ContainsAny(a, "/?"):
		at := strings.LastIndexByte(a, '.')
		return a[:at] + "[.]" + a[at+1:]
	case !strings.Contains(a, "://"):
		return "hxxp://" + a
	case hypertext().MatchString(a):
		return hypertext().ReplaceAllString(a, "hxxp")
	}
	return strings.ReplaceAll(a, "://", "[:]//")
}
