package citation

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Supported reports whether each number, amount, date, time, name and quotation in a text
// stands in one of its parts. It is strict: a number in words is one, whatever it counts,
// and so is a name in words that the parts do not have.
func Supported(said string, parts []string) bool {
	s, units := heard(strings.Join(parts, "\n")), rates(strings.Join(parts, "\n"))
	for u := range rates(said) {
		if !units[u] {
			return false
		}
	}
	for line := range strings.SplitSeq(said, "\n") {
		for _, sentence := range parted(line[len(listMark().FindString(line)):]) {
			if !s.supports(sentence) {
				return false
			}
		}
	}
	return true
}

func (s *said) supports(sentence string) bool {
	for _, c := range claimsIn(sentence) {
		switch c := c.(type) {
		case quantity:
			c.word, c.about = false, false
			if !c.in(s) {
				return false
			}
		case name:
			if c.new(s) {
				return false
			}
		default:
			if !c.in(s) {
				return false
			}
		}
	}
	return true
}

// new reports whether no part has a word of a name. In German only names behind a title
// and those that replace another are known.
func (n name) new(s *said) bool {
	if n.german && !n.titled {
		return !n.in(s)
	}
	for _, w := range n.words {
		if !s.has(w) {
			return true
		}
	}
	return false
}

// rates lists the times and currencies that a text names as words: "a month", "in euros".
func rates(s string) map[unit]bool {
	_, s = timesIn(strings.ToLower(s)) // their hours are no rate
	forms, unspaced := unitForms()
	all := map[unit]bool{}
	add := func(u unit) {
		if u.size >= 1 && (u.kind == "time" || u.kind == "months" || slices.Contains(money, u.kind)) {
			all[u] = true
		}
	}
	for _, w := range strings.Fields(bareWords(s)) {
		if len(w) >= minName {
			add(forms[w])
		}
	}
	for _, n := range unspaced {
		if utf8.RuneCountInString(n) > 1 && strings.Contains(s, n) {
			add(forms[n])
		}
	}
	for sign := range coins {
		if strings.Contains(s, sign) {
			add(forms[sign])
		}
	}
	return all
}
