package links

import (
	"strings"

	"parley/internal/text"
)

// scan collects the links of a note.
type scan struct {
	text   string
	masked string // the current part, without code
	at     int    // where that begins
	all    []Link
}

// maxTarget limits the bytes inside one link.
const maxTarget = 1000

// wiki adds the wikilinks of text[from:to]. quote returns the YAML quote around a place;
// nil reads masked instead.
func (s *scan) wiki(from, to int, quote func(int) byte) {
	area := s.text[from:to]
	if quote == nil {
		area = s.masked
	}
	for at := 0; ; {
		end := strings.Index(area[at:], "]]")
		if end < 0 {
			return
		}
		end += at
		begin := max(at, end-maxTarget)
		open := strings.LastIndex(area[begin:end], "[[")
		at = end + 2
		if open < 0 {
			continue
		}
		open += begin
		if inner := area[open+2 : end]; !strings.ContainsAny(inner, "\n`") && !escapedAt(area, open) {
			s.addWiki(from+open+2, inner, open > 0 && area[open-1] == '!', quote)
		}
	}
}

// escapedAt reports whether a backslash escapes the byte at i.
func escapedAt(s string, i int) bool {
	n := 0
	for i-n > 0 && n < maxTarget && s[i-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}

// addWiki adds the link between two pairs of brackets.
func (s *scan) addWiki(from int, inner string, embed bool, quote func(int) byte) {
	target, _, alias := strings.Cut(inner, "|")
	target, _, heading := strings.Cut(target, "#")
	if alias && !heading {
		target = strings.TrimSuffix(target, `\`) // in a table
	}
	from += len(target) - len(strings.TrimLeft(target, " \t"))
	target = strings.TrimSpace(target)
	if target == "" {
		return
	}
	l := Link{Kind: Wiki, Target: target, Embed: embed, From: from, To: from + len(target)}
	if quote != nil && quote(from) == '\'' {
		l.form, l.Target = quotedForm, strings.ReplaceAll(target, "''", "'")
	}
	s.all = append(s.all, l)
}

// markdown adds the links of the form [shown](destination) in the current part.
func (s *scan) markdown() {
	for i := 0; ; {
		open := strings.Index(s.masked[i:], "](")
		if open < 0 {
			return
		}
		open += i
		i = open + 2
		before := s.masked[max(0, open-2*maxTarget):open]
		begin := strings.LastIndexByte(before, '[')
		if begin < 0 || escapedAt(before, len(before)) {
			continue
		}
		from, to, angle := bounds(s.masked, i, ')')
		s.addMarkdown(from, to, angle, begin > 0 && before[begin-1] == '!')
	}
}

var label = text.Pattern(`(?m)^[ >]{0,12}\[[^\]\[^\n][^\]\[\n]*\]:[ \t]*\n?[ \t]*`)

// definitions adds the links of the form [label]: destination.
func (s *scan) definitions() {
	for _, m := range label().FindAllStringIndex(s.masked, -1) {
		from, to, angle := bounds(s.masked, m[1], '\n')
		s.addMarkdown(from, to, angle, false)
	}
}

// bounds finds the destination that begins at or after i; to equals from if there is
// none. angle reports that it stands in angle brackets.
func bounds(s string, i int, end byte) (from, to int, angle bool) {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	if i < len(s) && s[i] == '<' {
		for j := i + 1; j < min(len(s), i+maxTarget) && s[j] != '\n'; j++ {
			if s[j] == '>' && !escapedAt(s, j) {
				return i + 1, j, true
			}
		}
		return i, i, true
	}
	depth := 0
	for j := i; j < min(len(s), i+maxTarget); j++ {
		switch c := s[j]; {
		case c == '\\':
			j++
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case c == end || c == ')':
			return i, j, false
		case c <= ' ':
			if rest := strings.TrimLeft(s[j:], " \t"); end == ')' && (rest == "" || strings.IndexByte("\"'()\n", rest[0]) < 0) {
				return i, i, false // a space inside is no destination
			}
			return i, j, false
		}
	}
	if end == '\n' && len(s) < i+maxTarget {
		return i, len(s), false
	}
	return i, i, false
}

func (s *scan) addMarkdown(from, to int, angle, embed bool) {
	raw := s.masked[from:max(from, min(to, from+maxTarget))]
	target, ok := destination(raw)
	if !ok {
		return
	}
	path, _, _ := strings.Cut(raw, "#")
	l := Link{Kind: Markdown, Target: target, Embed: embed, From: s.at + from, To: s.at + from + len(path), form: urlForm}
	if angle {
		l.form = angleForm
	}
	s.all = append(s.all, l)
}
