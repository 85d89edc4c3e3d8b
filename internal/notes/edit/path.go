package edit

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/text"
	"parley/internal/text/catalog"
)

// maxPath is how many characters a path of a note may have.
const maxPath = 256

var (
	// device names are no files on some systems a vault may be synced to.
	device  = text.Pattern(`(?i)^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)[ ]*(\.|$)`)
	encoded = text.Pattern(`(?i)%(2e|2f|5c|00)`)
)

// CheckPath checks whether a note may be written under this path: relative,
// ending in .md, plain on every system, and nowhere hidden. The error is
// ErrPath with the reason.
func CheckPath(name string) error {
	no := func(why string) error { return text.Tell("%w: %s (%.300q)", ErrPath, catalog.Words(why), name) }
	switch {
	case !utf8.ValidString(name):
		return no(whyNotText)
	case name == "" || utf8.RuneCountInString(name) > maxPath:
		return no(whyLength)
	case strings.HasPrefix(name, "/"):
		return no(whyRelative)
	case strings.ContainsAny(name, `\:*?"<>|`):
		return no(whyBarred)
	case strings.ContainsFunc(name, unseen):
		return no(whyUnseen)
	case encoded().MatchString(name):
		return no(whyEncoded)
	case path.Ext(name) != ".md":
		return no(whyEnding)
	}
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case part == "":
			return no(whyNameless)
		case strings.HasPrefix(part, "."):
			return no(whyHidden)
		case strings.HasPrefix(part, " ") || strings.HasSuffix(part, " ") || strings.HasSuffix(part, "."):
			return no(whyEdges)
		case len(part) > 200: // room for what is added to names of kept versions
			return no(whyLong)
		case device().MatchString(part):
			return no(whyDevice)
		}
	}
	return nil
}

// unseen reports whether a character hides or reverses parts of a path.
func unseen(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co) || r == utf8.RuneError ||
		unicode.Is(unicode.Zs, r) && r != ' '
}
