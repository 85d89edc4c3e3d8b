package lineedit

import "strings"

// search looks through the lines typed before, the newest first.
type search struct {
	query string
	back  int    // how many lines back the one that is shown stands
	text  string // the line before the search,
	at    int    // and its cursor
	lost  bool   // nothing fits
}

func newSearch(e *Editor) *search { return &search{text: e.text, at: e.at} }

// searching handles a key while searching. After false the search has ended with what it
// found, and the key is for the line.
func (e *Editor) searching(k Key) bool {
	s := e.search
	switch k.Code {
	case Typed:
		s.query += k.Text
		e.find(max(1, s.back))
	case Pasted:
		s.query += strings.ReplaceAll(k.Text, "\n", " ")
		e.find(max(1, s.back))
	case Back:
		query := &Editor{text: s.query}
		s.query = s.query[:query.before(len(s.query))]
		e.find(1)
	case Search:
		if s.query != "" {
			e.find(s.back + 1)
		}
	case Escape, Cancel:
		e.set(s.text, s.at)
		e.search = nil
	case Ignored:
	default:
		e.search = nil
		e.browsed = 0
		return false
	}
	return true
}

// find shows the newest line that contains the query and is at least from lines back.
// Small letters match both cases.
func (e *Editor) find(from int) {
	s, lines := e.search, e.History.lines()
	if s.query == "" {
		s.back, s.lost = 0, false
		e.set(s.text, s.at)
		return
	}
	exact := strings.ToLower(s.query) != s.query
	for n := from; n <= len(lines); n++ {
		line := lines[len(lines)-n]
		if in := line; strings.Contains(in, s.query) || !exact && strings.Contains(strings.ToLower(in), s.query) {
			if 0 < s.back && s.back < from && line == e.text {
				continue // seen just now
			}
			s.back, s.lost = n, false
			e.set(line, len(line))
			return
		}
	}
	s.lost = true
}
