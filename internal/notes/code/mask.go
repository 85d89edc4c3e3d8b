package code

import "strings"

// Mask replaces the comments and strings of a file by spaces, with " at both ends of a
// string. Length and lines stay the same. Files in unknown languages stay as they are.
func Mask(name, data string) string {
	lang := languageOf(name)
	if lang == lisp {
		return data
	}
	m := &mask{lang: lang, in: data, out: []byte(data)}
	for m.at < len(m.in) {
		m.step()
	}
	return string(m.out)
}

type mask struct {
	lang language
	in   string
	out  []byte
	at   int
	last byte // of code, except spaces
}

// step reads a comment, a string, or a byte of code.
func (m *mask) step() {
	rest := m.in[m.at:]
	hash := m.lang == python || m.lang == shell
	switch c := rest[0]; {
	case hash && c == '#' && (m.lang == python || m.at == 0 || strings.IndexByte(" \t\n;", m.in[m.at-1]) >= 0):
		m.blank(restOfLine(rest))
	case !hash && strings.HasPrefix(rest, "//"):
		m.blank(restOfLine(rest))
	case !hash && strings.HasPrefix(rest, "/*"):
		m.blank(m.comment(rest))
	case m.lang == python && (strings.HasPrefix(rest, `"""`) || strings.HasPrefix(rest, "'''")):
		m.quote(past(rest, rest[:3], true))
	case m.lang == java && strings.HasPrefix(rest, `"""`):
		m.quote(past(rest, `"""`, true))
	case m.lang == rust && c == 'r' && !m.inName() && rawRust(rest) > 0:
		m.quote(rawRust(rest))
	case m.lang == cFamily && strings.HasPrefix(rest, `R"`) && strings.Contains(rest[:min(len(rest), 20)], "("):
		i := strings.IndexByte(rest, '(')
		m.quote(past(rest, ")"+rest[2:i]+`"`, false))
	case c == '`' && m.lang == script:
		m.quote(template(rest, 0))
	case c == '`' && m.lang == golang:
		m.quote(past(rest, "`", false))
	case c == '"', c == '\'' && !m.quoteIsNoString(rest):
		m.quote(lineString(rest))
	case c == '/' && m.lang == script && strings.IndexByte("(,=:[!&|?{};+\x00", m.last) >= 0:
		m.quote(lineString(rest)) // a regular expression
	default:
		if c > ' ' {
			m.last = c
		}
		m.at++
	}
}

// blank replaces n bytes by spaces, except line ends.
func (m *mask) blank(n int) {
	for i := m.at; i < m.at+n; i++ {
		if m.out[i] != '\n' {
			m.out[i] = ' '
		}
	}
	m.at += n
	m.last = 'x'
}

// quote blanks a string of n bytes but leaves quotes at its ends.
func (m *mask) quote(n int) {
	from := m.at
	m.blank(n)
	for _, i := range []int{from, m.at - 1} {
		if m.out[i] == ' ' {
			m.out[i] = '"'
		}
	}
}

// inName reports whether the byte before belongs to a name.
func (m *mask) inName() bool {
	return m.at > 0 && (m.in[m.at-1] == '_' || m.in[m.at-1] >= '0' && m.in[m.at-1] <= '9' || m.in[m.at-1]|0x20 >= 'a' &&
		m.in[m.at-1]|0x20 <= 'z')
}

// quoteIsNoString reports whether ' begins a Rust lifetime or separates C++ digits.
func (m *mask) quoteIsNoString(rest string) bool {
	switch m.lang {
	case rust:
		return !(len(rest) > 2 && (rest[1] == '\\' || rest[2] == '\'' || rest[1] >= 0x80))
	case cFamily:
		return m.at > 0 && m.in[m.at-1] >= '0' && m.in[m.at-1] <= '9'
	}
	return false
}

// comment returns the length of a block comment. In Rust they nest.
func (m *mask) comment(rest string) int {
	if m.lang != rust {
		return past(rest, "*/", false)
	}
	depth := 0
	for i := 0; i < len(rest)-1; i++ {
		switch rest[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			if i++; depth == 0 {
				return i + 1
			}
		}
	}
	return len(rest)
}

func restOfLine(s string) int {
	line, _, _ := strings.Cut(s, "\n")
	return len(line)
}

// past returns the length of a string up to and including its end, which looks like its
// beginning. With escapes, a backslash escapes the next byte.
func past(s, end string, escapes bool) int {
	for i := min(len(end), len(s)); i < len(s); i++ {
		if escapes && s[i] == '\\' {
			i++
		} else if strings.HasPrefix(s[i:], end) {
			return i + len(end)
		}
	}
	return len(s)
}

// lineString returns the length of a string that ends with the quote that began it, or
// with the line.
func lineString(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '\n':
			return i
		case s[0]:
			return i + 1
		}
	}
	return len(s)
}

// rawRust returns the length of a raw string, 0 if there is none.
func rawRust(s string) int {
	n := 1
	for n < len(s) && s[n] == '#' {
		n++
	}
	if n >= len(s) || s[n] != '"' {
		return 0
	}
	end := `"` + strings.Repeat("#", n-1)
	if i := strings.Index(s[n+1:], end); i >= 0 {
		return n + 1 + i + len(end)
	}
	return len(s)
}

// template returns the length of a JavaScript template literal, which may contain code
// with other templates.
func template(s string, depth int) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '`':
			return i + 1
		case strings.HasPrefix(s[i:], "${") && depth < maxTemplates:
			i += hole(s[i+2:], depth) + 1
		}
	}
	return len(s)
}

// maxTemplates limits how deep templates may nest.
const maxTemplates = 20

// hole returns the length of the code in a template, with its closing brace.
func hole(s string, depth int) int {
	open := 1
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{':
			open++
		case '}':
			if open--; open == 0 {
				return i + 1
			}
		case '`':
			i += template(s[i:], depth+1) - 1
		case '"', '\'':
			i += lineString(s[i:]) - 1
		}
	}
	return len(s)
}
