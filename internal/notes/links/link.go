package links

import (
	"fmt"
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
	ToBlock              // ((id)) of a block; Target is the id. Parse lists none: moves leave them alone
)

// Link is a link to a file, not to the web or inside the same note.
type Link struct {
	Kind   Kind
	Target string // decoded, without heading
	Embed  bool
	// From and To are the byte offsets of the target in the text; of a link on a canvas
	// card, those of the card's text.
	From, To int

	form form
	card string // decoded text of the canvas card around the link
}

// form is the encoding of a link's target.
type form int

const (
	plainForm  form = iota // not encoded
	quotedForm             // inside single quotes in YAML
	angleForm              // in angle brackets
	urlForm                // with %20 for a space
	jsonForm               // a JSON string, with its quotes
)

// Canvas reports whether a file name is that of a canvas.
func Canvas(name string) bool { return strings.EqualFold(path.Ext(name), ".canvas") }

// Parse lists the links of a note or, judging by the name, a canvas, from first to last.
func Parse(name, text string) []Link {
	if Canvas(name) {
		return parseCanvas(text)
	}
	return parseNote(text)
}

var scheme = text.Pattern(`^[A-Za-z][A-Za-z0-9+.-]+:`)

// destination decodes the destination of a Markdown link; ok is false if it leads to no
// file.
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

// unescaped removes the backslashes that escape punctuation.
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

// written encodes a target in the form of l; old is the text that it replaces.
func (l Link) written(target, old string) string {
	switch l.form {
	case quotedForm:
		return strings.ReplaceAll(target, "'", "''")
	case angleForm:
		return strings.NewReplacer("<", `\<`, ">", `\>`, "%", "%25", "#", "%23").Replace(target)
	case urlForm:
		return encoded(target, foreign().MatchString(old))
	case jsonForm:
		return quoted(target)
	}
	return target
}

// foreign matches the encoding of a letter beyond ASCII.
var foreign = text.Pattern(`%[CDEc]`)

// encoded writes a path as the destination of a Markdown link. all also encodes letters
// beyond ASCII.
func encoded(target string, all bool) string {
	var b strings.Builder
	for i := range len(target) {
		c := target[i]
		if c <= ' ' || c == 0x7f || strings.IndexByte(`%()<>#?\"`, c) >= 0 || all && c >= 0x80 {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
