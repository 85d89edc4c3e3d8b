package edit

import (
	"errors"
	"os"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/text"
	"parley/internal/text/catalog"
)

// maxPath limits the characters of a path.
const maxPath = 256

var (
	// device matches names that mean devices on systems to which a vault may be synced.
	device  = text.Pattern(`(?i)^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)[ ]*(\.|$)`)
	encoded = text.Pattern(`(?i)%(2e|2f|5c|00)`)
)

// CheckPath checks whether a note may be written at a path: relative, ending in .md,
// valid on every system, and not hidden. The error is ErrPath with the reason.
func CheckPath(name string) error {
	no := func(why string) error { return text.Tell("%w: %s (%.300q)", ErrPath, catalog.Words(why), name) }
	switch {
	case !utf8.ValidString(name):
		return no("it is not valid text")
	case name == "" || utf8.RuneCountInString(name) > maxPath:
		return no("it has between 1 and 256 characters")
	case strings.HasPrefix(name, "/"):
		return no("it is relative to the folder of notes")
	case strings.ContainsAny(name, `\:*?"<>|`):
		return no(`none of \ : * ? " < > | may be in it`)
	case strings.ContainsFunc(name, unseen):
		return no("it has characters that cannot be seen")
	case encoded().MatchString(name):
		return no("dots and slashes are written as they are")
	case path.Ext(name) != ".md":
		return no("it ends in .md")
	}
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case part == "":
			return no("a folder in it has no name")
		case strings.HasPrefix(part, "."):
			return no("nothing in it begins with a dot")
		case strings.HasPrefix(part, " ") || strings.HasSuffix(part, " ") || strings.HasSuffix(part, "."):
			return no("no name in it begins or ends with a space, or ends with a dot")
		case len(part) > 200: // names of versions are longer
			return no("a name in it is too long")
		case device().MatchString(part):
			return no("a name in it means a device on some systems")
		}
	}
	return nil
}

// unseen reports whether a character is invisible or reverses parts of a path.
func unseen(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co) || r == utf8.RuneError ||
		unicode.Is(unicode.Zs, r) && r != ' '
}

// Folders returns a path with its folders spelled as they exist on disk, where they differ only
// by case, width or the form of accents (macOS writes these apart). The name of the file stays.
func Folders(root *os.Root, name string) string {
	dir, base := path.Split(name)
	at := "."
	for part := range strings.SplitSeq(strings.TrimSuffix(dir, "/"), "/") {
		if found := like(root, at, part); found != "" {
			part = found
		}
		at = path.Join(at, part)
	}
	return path.Join(at, base)
}

// like returns the name in a folder that is the same as another but for its case, width and
// accents; "" for none, or if the very name exists.
func like(root *os.Root, dir, name string) (found string) {
	if _, err := root.Lstat(path.Join(dir, name)); !errors.Is(err, os.ErrNotExist) {
		return ""
	}
	all, err := List(root, dir)
	if err != nil {
		return ""
	}
	folded := text.Fold(name)
	if i := slices.IndexFunc(all, func(n string) bool { return text.Fold(n) == folded }); i >= 0 {
		found = all[i]
	}
	return found
}
