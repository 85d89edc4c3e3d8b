package chat

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// span is a stretch of text between two marks, or a link.
type span struct {
	start, end int
	mark       string // what opens and closes it; "" for what is never cut
	parent     int    // index of the span it lies in, -1 for none
}

func (s span) inside() (from, to int) { return s.start + len(s.mark), s.end - len(s.mark) }

const maxUnit = 4096

// maxOpen is how many marks may be open at once; older ones count as text.
const maxOpen = 16

// marker finds the spans of a text, a paragraph at a time.
type marker struct {
	text  string
	spans []span
	open  []run // runs of * _ ~ that may open something
	ticks map[int][]int
	pairs map[int]int // [ -> ]
}

type run struct{ at, n int }

// marks finds what lies between marks in text, sorted, each with its parent,
// and the spoilers, which may go over several blocks.
func marks(text string, lines []line) (spans, spoilers []span) {
	m := &marker{text: text}
	for i := 0; i < len(lines); {
		j := i + 1
		if l := lines[i]; l.fence == nil && l.kind != lineBlank {
			for l.kind != lineRow && j < len(lines) && lines[j].kind == linePlain && lines[j].fence == nil {
				j++
			}
			m.paragraph(lines[i:j])
		}
		i = j
	}
	slices.SortFunc(m.spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	var stack []int
	for i := range m.spans {
		for len(stack) > 0 && m.spans[stack[len(stack)-1]].end <= m.spans[i].start {
			stack = stack[:len(stack)-1]
		}
		m.spans[i].parent = -1
		if len(stack) > 0 {
			m.spans[i].parent = stack[len(stack)-1]
		}
		stack = append(stack, i)
	}
	return m.spans, m.spoilers(lines)
}

// paragraph finds the spans of lines whose marks belong together.
func (m *marker) paragraph(lines []line) {
	m.open, m.ticks, m.pairs = m.open[:0], map[int][]int{}, map[int]int{}
	m.survey(lines)
	for at := lines[0].body; len(lines) > 0; {
		switch {
		case at >= lines[0].end:
			if lines = lines[1:]; len(lines) > 0 {
				at = max(at, lines[0].body)
			}
		default:
			at = m.token(at, lines[len(lines)-1].end)
		}
	}
}

// survey notes where each run of backticks begins and which brackets belong
// together, so that nothing is searched for twice.
func (m *marker) survey(lines []line) {
	var brackets []int
	for _, l := range lines {
		for at := l.body; at < l.end; at++ {
			switch m.text[at] {
			case '\\':
				at++
			case '`':
				n := row(m.text[at:l.end])
				m.ticks[n] = append(m.ticks[n], at)
				at += n - 1
			case '[':
				brackets = append(brackets, at)
			case ']':
				if len(brackets) > 0 {
					m.pairs[brackets[len(brackets)-1]] = at
					brackets = brackets[:len(brackets)-1]
				}
			}
		}
	}
}

func row(s string) (n int) {
	for n < len(s) && s[n] == s[0] {
		n++
	}
	return n
}

func (m *marker) token(at, end int) int {
	rest := m.text[at:end]
	switch rest[0] {
	case '\\':
		return at + min(2, len(rest))
	case '`':
		return m.code(at, end)
	case '[', '!', '<', 'h':
		if n := m.link(at, end); n > 0 {
			m.spans = append(m.spans, span{start: at, end: at + n})
			return at + n
		}
	case '*', '_', '~':
		n := row(rest)
		m.emphasis(at, n, end)
		return at + n
	}
	return at + 1
}

func (m *marker) code(at, end int) int {
	n := row(m.text[at:end])
	list := m.ticks[n]
	i, _ := slices.BinarySearch(list, at+n)
	if i == len(list) || list[i] >= end {
		return at + n
	}
	m.spans = append(m.spans, span{start: at, end: list[i] + n, mark: m.text[at : at+n]})
	return list[i] + n
}

// link returns the length of the link that begins at a place, 0 when there is none.
func (m *marker) link(at, end int) int {
	rest := m.text[at:min(end, at+maxUnit)]
	label := at
	switch {
	case strings.HasPrefix(rest, "<http"):
		if n := strings.IndexAny(rest, "> \n"); n > 0 && rest[n] == '>' {
			return n + 1
		}
		return 0
	case strings.HasPrefix(rest, "http://"), strings.HasPrefix(rest, "https://"):
		n := strings.IndexFunc(rest, func(r rune) bool { return unicode.IsSpace(r) || r == '<' || r == '>' })
		if n < 0 {
			n = len(rest)
		}
		return len(strings.TrimRight(rest[:n], ".,;:!?\"'*_~)]|`"))
	case rest[0] == '!':
		label++
	}
	bracket, ok := m.pairs[label]
	if !ok || bracket-at > maxUnit || !strings.HasPrefix(m.text[bracket:end], "](") {
		return 0
	}
	depth := 0
	for i := bracket + 1; i < min(end, bracket+maxUnit); i++ {
		switch m.text[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1 - at
			}
		case '\n':
			return 0
		}
	}
	return 0
}

func (m *marker) emphasis(at, n, end int) {
	c := m.text[at]
	if n > 3 || c == '~' && n != 2 {
		return
	}
	before, _ := utf8.DecodeLastRuneInString(m.text[:at])
	after, _ := utf8.DecodeRuneInString(m.text[at+n : end])
	opens, closes := flanks(before, after), flanks(after, before)
	if c == '_' {
		opens, closes = opens && !(closes && wordy(before)), closes && !(opens && wordy(after))
	}
	for i := len(m.open) - 1; closes && n > 0 && i >= 0; i-- {
		o := &m.open[i]
		if m.text[o.at] != c || c == '~' && o.n != 2 {
			continue
		}
		k := min(o.n, n)
		from := o.at + o.n - k
		m.spans = append(m.spans, span{start: from, end: at + k, mark: m.text[from : from+k]})
		at, n, o.n = at+k, n-k, o.n-k
		if m.open = m.open[:i+1]; o.n == 0 {
			m.open = m.open[:i]
		}
	}
	if opens && n > 0 {
		if len(m.open) == maxOpen {
			m.open = slices.Delete(m.open, 0, 1)
		}
		m.open = append(m.open, run{at, n})
	}
}

// flanks reports whether a mark between two characters may open what follows; with
// the two exchanged, that it may close.
func flanks(before, after rune) bool {
	blank := func(r rune) bool { return r == utf8.RuneError || unicode.IsSpace(r) }
	point := func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }
	return !blank(after) && (!point(after) || blank(before) || point(before))
}

func wordy(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// spoilers pairs the double bars outside code, links and tables.
func (m *marker) spoilers(lines []line) (list []span) {
	next, from := 0, -1
	for _, l := range lines {
		if l.fence != nil || l.kind == lineRow || l.table != "" {
			continue
		}
		for at := l.start; at < l.end; at++ {
			for next < len(m.spans) && m.spans[next].start < at {
				next++
			}
			if next < len(m.spans) && m.spans[next].start == at && (m.spans[next].mark == "" || m.text[at] == '`') {
				at = m.spans[next].end - 1
				continue
			}
			if m.text[at] == '\\' {
				at++
				continue
			}
			if m.text[at] != '|' || row(m.text[at:l.end]) != 2 {
				if m.text[at] == '|' {
					at += row(m.text[at:l.end]) - 1
				}
				continue
			}
			if from < 0 {
				from = at
			} else {
				list = append(list, span{start: from, end: at + 2, mark: "||", parent: -1})
				from = -1
			}
			at++
		}
	}
	return list
}
