package links

import (
	"net/url"
	"path"
	"strings"

	"parley/internal/text"
)

// Kind is how a link is written.
type Kind int

// The kinds.
const (
	Wiki     Kind = iota // [[Note#Heading|shown]], ![[Note]]
	Markdown             // [shown](folder/note.md#heading), [label]: note.md
	Node                 // a file on a canvas
)

// Link is a link to a file. What leads to the web or inside the same note is none.
type Link struct {
	Kind   Kind
	Target string // as it is meant: decoded, without heading
	Embed  bool
	// From and To are where the target stands in the text, in bytes. Of a link
	// inside a text of a canvas they are where that text stands.
	From, To int

	form form
	card string // the text of the canvas that the link is in, decoded
}

// form is how the target of a link is written down.
type form int

const (
	plainForm  form = iota // as it is
	quotedForm             // inside single quotes of YAML
	angleForm              // <in these>
	urlForm                // %20 for a space
	jsonForm               // a string of JSON, with its quotes
)

// Canvas reports whether a file is a canvas, by its name.
func Canvas(name string) bool { return strings.EqualFold(path.Ext(name), ".canvas") }

// Parse lists the links of a note or a canvas, by its name, in their order.
func Parse(name, text string) []Link {
	if Canvas(name) {
		return parseCanvas(text)
	}
	return parseNote(text)
}

var scheme = text.Pattern(`^[A-Za-z][A-Za-z0-9+.-]+:`)

// destination reads the destination of a Markdown link; ok is false for what leads
// nowhere in the folder of notes.
func destination(raw string) (target string, ok bool) {
	if raw == "" || raw[0] == '#' || strings.HasPrefix(raw, "//") || scheme().MatchString(raw) {
		return "", false
	}
	raw, _, _ = strings.Cut(raw, "#")
	raw = unescaped(raw)
	if decoded, err := url.PathUnescape(raw); err == nil {
		raw = decoded
	}
	return raw, raw != ""
}

// unescaped takes the backslashes away that keep punctuation from being markup.
func unescaped(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// written returns a target as it is written in place of l; old is what stood there.
func (l Link) written(target, old string) string {
	switch l.form {
	case quotedForm:
		return strings.ReplaceAll(target, "'", "''")
	case angleForm:
		return strings.NewReplacer("<", `\<`, ">", `\>`, "%", "%25", "#", "%23").Replace(target)
	case urlForm:
		return encoded(target, strings.Contains(old, "%C") || strings.Contains(old, "%E") || strings.Contains(old, "%D") ||
			strings.Contains(old, "%c"))
	case jsonForm:
		return quoted(target)
	}
	return target
}

// encoded writes a path as the destination of a Markdown link: with letters beyond
// ASCII as they are, unless foreign.
func encoded(target string, foreign bool) string {
	var b strings.Builder
	for i := range len(target) {
		c := target[i]
		if c <= ' ' || c == 0x7f || strings.IndexByte(`%()<>#?\"`, c) >= 0 || foreign && c >= 0x80 {
			const digits = "0123456789ABCDEF"
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
