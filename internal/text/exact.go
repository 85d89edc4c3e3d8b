package text

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Exact returns Markdown that shows s as it is, character by character, so that people
// agree to exactly what they read. Plain words stay as they are. Everything else becomes
// code in double quotes, with JSON escapes for characters that are invisible, change the
// direction of text or look like others.
func Exact(s string) string {
	switch {
	case plainly(s):
		return s
	case len(s) > longExact || strings.Contains(s, "\n"):
		return "\n" + ExactBlock(s) + "\n"
	case s != "" && strings.Trim(s, " \"") == s && Quote(s) == `"`+s+`"`:
		return "`" + s + "`"
	}
	return "`" + Quote(s) + "`"
}

// longExact is how many bytes Exact shows within a line.
const longExact = 400

// ExactBlock shows s as a code block of quoted lines, which together are s. It may be cut
// between lines.
func ExactBlock(s string) string {
	var b strings.Builder
	b.WriteString("```\n")
	for _, line := range strings.SplitAfter(s, "\n") {
		for line != "" {
			piece := Clip(line, exactLine)
			b.WriteString(Quote(piece) + "\n")
			line = line[len(piece):]
		}
	}
	b.WriteString("```")
	return b.String()
}

// exactLine is how long a line of ExactBlock is, in runes.
const exactLine = 100

// plainly reports whether s reads the same in Markdown on every platform: only words and
// simple punctuation, no marks, links, names or commands.
func plainly(s string) bool {
	if s == "" || len(s) > longExact {
		return false
	}
	all := []rune(s)
	digit := func(i int) bool { return i >= 0 && i < len(all) && unicode.IsDigit(all[i]) }
	letter := func(i int) bool { return digit(i) || i >= 0 && i < len(all) && unicode.IsLetter(all[i]) }
	for i, r := range all {
		ok := letter(i) && !suspect(r)
		switch {
		case r == ' ':
			ok = letter(i+1) && (letter(i-1) || i > 0 && strings.ContainsRune(ends, all[i-1]))
		case r == '-' || r == '\'':
			ok = letter(i-1) && letter(i+1)
		case strings.ContainsRune(ends, r):
			ok = letter(i-1) && (i == len(all)-1 || all[i+1] == ' ' || r == ':' && digit(i-1) && digit(i+1))
		}
		if !ok {
			return false
		}
	}
	return true
}

// ends are the signs after a word.
const ends = ",.!?;:"

// Quote returns s as a JSON string. Characters that are not clearly visible are escaped, and
// so are backquotes, so that it can be put into code.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	marks := maxMarks // how many stand on the character before
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case seen(r) && (r != ' ' || !strings.HasSuffix(b.String(), " ")), unicode.Is(unicode.M, r) && marks < maxMarks && !suspect(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		switch {
		case unicode.IsLetter(r):
			marks = 0
		case unicode.Is(unicode.M, r):
			marks++
		default:
			marks = maxMarks
		}
	}
	b.WriteByte('"')
	return b.String()
}

// maxMarks is how many accents a letter may have unescaped.
const maxMarks = 3

// seen reports whether r is visible by itself and does not end code.
func seen(r rune) bool {
	switch {
	case r == ' ':
		return true
	case r == '`', suspect(r), smuggles(r), r == 0x2800, r == 0xFFFD, r == 0xFFFC: // what cannot be shown looks like these
		return false
	}
	return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S)
}

// ExactJSON returns a JSON value in the form that is shown and executed: without white
// space, strings as Quote writes them. Invalid JSON is an error.
func ExactJSON(raw []byte) (json.RawMessage, error) {
	var compact strings.Builder
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	var value json.RawMessage
	if err := d.Decode(&value); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	for i := 0; i < len(value); {
		switch c := value[i]; c {
		case ' ', '\t', '\n', '\r':
			i++
		case '"':
			end := i + 1
			for value[end] != '"' {
				if value[end] == '\\' {
					end++
				}
				end++
			}
			var s string
			if err := json.Unmarshal(value[i:end+1], &s); err != nil {
				return nil, fmt.Errorf("read JSON: %w", err)
			}
			compact.WriteString(Quote(s))
			i = end + 1
		default:
			compact.WriteByte(c)
			i++
		}
	}
	return json.RawMessage(compact.String()), nil
}

// Literal escapes a text for Markdown on one line: nothing in it acts as markup, hides
// anything or links anywhere. Line ends become "⏎".
func Literal(s string) string {
	s, _ = Strip(s)
	var b strings.Builder
	for i, line := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r) }) {
		if i > 0 {
			b.WriteString(" ⏎ ")
		}
		for _, r := range line {
			if strings.ContainsRune("\\`*_[]<>|~&", r) {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}
