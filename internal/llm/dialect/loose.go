package dialect

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds how deep arguments nest.
const maxDepth = 64

// loose reads JSON as models write it: also with single quotes, names without
// quotes, words of Python, Gemma's quotation marks, and commas too many.
type loose struct {
	s string
	i int
}

// value is one that was read: raw is JSON, the rest its parts.
type value struct {
	raw    string
	fields []field // of an object
	items  []value // of a list
	text   string  // of a string
	is     byte    // '{', '[', '"', or 0 for anything else
}

type field struct {
	key string
	value
}

func (l *loose) space() {
	for l.i < len(l.s) && strings.IndexByte(" \t\r\n", l.s[l.i]) >= 0 {
		l.i++
	}
}

// at takes a byte if it is the next.
func (l *loose) at(c byte) bool {
	if l.i < len(l.s) && l.s[l.i] == c {
		l.i++
		return true
	}
	return false
}

func (l *loose) value(depth int) (v value, ok bool) {
	if l.space(); l.i >= len(l.s) || depth > maxDepth {
		return v, false
	}
	switch c := l.s[l.i]; {
	case c == '{':
		return l.object(depth)
	case c == '[':
		return l.list(depth)
	case c == '"' || c == '\'' || strings.HasPrefix(l.s[l.i:], gemmaQuote):
		text, ok := l.text()
		return value{raw: quoted(text), text: text, is: '"'}, ok
	}
	from := l.i
	for l.i < len(l.s) && strings.IndexByte(",]}) \t\r\n", l.s[l.i]) < 0 {
		l.i++
	}
	word := l.s[from:l.i]
	if plain, ok := pythonWords[word]; ok {
		word = plain
	}
	if json.Valid([]byte(word)) {
		return value{raw: word}, true
	}
	return v, false
}

var pythonWords = map[string]string{"True": "true", "False": "false", "None": "null"}

func (l *loose) object(depth int) (v value, ok bool) {
	v.is = '{'
	for l.i++; ; {
		if l.space(); l.at('}') {
			v.raw = object(v.fields)
			return v, true
		}
		key, ok := l.word()
		if l.space(); !ok || !l.at(':') {
			return v, false
		}
		inner, ok := l.value(depth + 1)
		if !ok {
			return v, false
		}
		v.fields = append(v.fields, field{key, inner})
		if l.space(); !l.at(',') && (l.i >= len(l.s) || l.s[l.i] != '}') {
			return v, false
		}
	}
}

func (l *loose) list(depth int) (v value, ok bool) {
	v.is = '['
	var raw []string
	for l.i++; ; {
		if l.space(); l.at(']') {
			v.raw = "[" + strings.Join(raw, ",") + "]"
			return v, true
		}
		inner, ok := l.value(depth + 1)
		if !ok {
			return v, false
		}
		v.items, raw = append(v.items, inner), append(raw, inner.raw)
		if l.space(); !l.at(',') && (l.i >= len(l.s) || l.s[l.i] != ']') {
			return v, false
		}
	}
}

// word returns a key, with quotes or without.
func (l *loose) word() (string, bool) {
	if l.i < len(l.s) && (l.s[l.i] == '"' || l.s[l.i] == '\'' || strings.HasPrefix(l.s[l.i:], gemmaQuote)) {
		return l.text()
	}
	from := l.i
	for l.i < len(l.s) && isNamed(rune(l.s[l.i])) {
		l.i++
	}
	return l.s[from:l.i], l.i > from
}

// gemmaQuote is Gemma 4's quotation mark.
const gemmaQuote = `<|"|>`

// text reads a string up to its own kind of quotation mark.
func (l *loose) text() (string, bool) {
	if rest, ok := strings.CutPrefix(l.s[l.i:], gemmaQuote); ok {
		text, _, ok := strings.Cut(rest, gemmaQuote)
		l.i += 2*len(gemmaQuote) + len(text)
		return text, ok
	}
	quote := l.s[l.i]
	var b strings.Builder
	for l.i++; l.i < len(l.s); l.i++ {
		switch c := l.s[l.i]; {
		case c == quote:
			l.i++
			return b.String(), true
		case c == '\\' && l.i+1 < len(l.s):
			l.escape(&b)
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

// escape reads what stands behind a backslash.
func (l *loose) escape(b *strings.Builder) {
	l.i++
	switch c := l.s[l.i]; c {
	case 'n', 't', 'r', 'b', 'f':
		b.WriteByte("\n\t\r\b\f"[strings.IndexByte("ntrbf", c)])
	case 'u':
		end := l.i + 5
		for end+5 < len(l.s) && l.s[end] == '\\' && l.s[end+1] == 'u' && end < l.i+11 {
			end += 6 // the second half of a pair
		}
		var s string
		if end <= len(l.s) && json.Unmarshal([]byte(`"\`+l.s[l.i:end]+`"`), &s) == nil {
			b.WriteString(s)
			l.i = end - 1
		}
	default:
		b.WriteByte(c)
	}
}

func quoted(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always can be
	return strings.TrimSuffix(b.String(), "\n")
}

// object returns the JSON of fields; of two with one name the later counts.
func object(fields []field) string {
	var b strings.Builder
	for i, f := range fields {
		if slices.ContainsFunc(fields[i+1:], func(g field) bool { return g.key == f.key }) {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quoted(f.key) + ":" + f.raw)
	}
	return "{" + b.String() + "}"
}
