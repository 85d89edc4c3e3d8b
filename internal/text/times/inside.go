package times

import "strings"

// Where a time stands between the words of what it is for: "ich muss morgen um 9 zum Arzt",
// 我明天上午8点要开会. Only one that says enough counts, and only where there is no other.

// inside splits a text at a time within it; without one, when is empty.
func (s *splitter) inside(from, to int) (p parted) {
	t := s.within(from+1, to)
	if t.to == t.from || t.to >= to {
		return p
	}
	if more := s.within(t.to, to); more.to > more.from {
		return p
	}
	first, last := s.backward(t, from), s.forward(t, to)
	if first == from || last == to {
		return p
	}
	p.when, p.left = s.words(t.from, t.to), strings.Join(s.unread(&p, t, first, last), " … ")
	space := " "
	if !s.tokens[last].open {
		space = ""
	}
	p.what = s.what(from, first) + space + strings.TrimSpace(s.text[s.tokens[last].from:])
	return p
}

// within returns the first time from a token on that says enough, as long as it gets; an empty
// stretch for none.
func (s *splitter) within(from, to int) stretch {
	m := s.tongue.matcher(s.tokens[:to])
	for i := from; i < min(to, from+mostTokens); i++ {
		best := stretch{from: i, to: i}
		m.steps = mostSteps / 10
		if len(m.at(i)) > 0 {
			m.cover(i, said{}, func(at int, got said) bool {
				if t := (stretch{from: i, to: at, said: got}); at > best.to && s.enough(t) {
					best = t
				}
				return true
			})
		}
		if best.to > i && best.to < to && s.joins(best.to-1, best.to) {
			best.to--
		}
		if best.to > i {
			return best
		}
	}
	return stretch{from: to, to: to}
}

// enough reports whether a time within a text is no mere word of it: "the Friday paper". In
// languages where a weekday before a noun has another form or a particle, a day is enough.
func (s *splitter) enough(t stretch) bool {
	if t.empty() || t.last == "bare" || !s.meant(t.said) || s.leading(t.said, t.from) {
		return false
	}
	if s.tokens[t.to-1].text == "的" || t.to < len(s.tokens) && s.tokens[t.to].text == "的" {
		return false
	}
	return t.full() || t.day != nil && t.part+t.day.arg(1) != "" || dayEnough[s.tag] && t.day != nil && t.to > t.from+1
}

var dayEnough = map[string]bool{"de": true, "ru": true, "zh": true}
