package times

import (
	"strconv"
	"strings"
)

// yearInWords reads a year that is no number in digits: "two thousand nineteen", "twenty
// thirty", 二零二七; -1 for none. A century's value is what it counts, and what must at least
// follow.
func (m *matcher) yearInWords(i int) (n, end int) {
	if m.tag == "zh" {
		return m.chineseYear(i)
	}
	for v, at := range m.meanings(i, "century") {
		hundreds, least, _ := strings.Cut(v, " ")
		n, _ = strconv.Atoi(hundreds) // TestTongues
		from, _ := strconv.Atoi(least)
		more, end := m.whole(at)
		if more < 0 {
			if more, end = m.value(at, "ordinal"); more < 0 {
				more, end = 0, at
			}
		}
		if more >= from && more < 100 {
			return n + more, end
		}
		if from == 0 {
			return n, at
		}
	}
	return -1, i
}

// chineseYear reads four digits in characters: 二零二七.
func (m *matcher) chineseYear(i int) (n, end int) {
	for end = i; end < i+4; end++ {
		one, e := m.value(end, "number")
		if one < 0 || one > 9 || e != end+1 {
			return -1, i
		}
		n = 10*n + one
	}
	return n, end
}
