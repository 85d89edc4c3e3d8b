package times

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// precedes returns where the words right before a time, which end at token i, begin to
// belong to it; i for none that do.
func (s *splitter) precedes(t stretch, i, from int) int {
	if i < len(s.tokens) && !s.tokens[i].open && s.joinedTo(i-1) {
		return s.wordFrom(i-1, from)
	}
	j, w := i, way{}
	if begin := s.counted(t, j, from, w); begin < j {
		return begin
	}
	for n := 0; n < 3; n++ {
		begin := s.backOver(j, from, &w)
		if begin == j {
			break
		}
		if j = begin; j <= from {
			break
		}
		if begin := s.counted(t, j, from, w); begin < j {
			return begin
		}
	}
	return i
}

// joinedTo reports whether token i, written before a time without a space, is part of the
// same word or number.
func (s *splitter) joinedTo(i int) bool {
	if inText(s.tokens[i].text) {
		return inText(s.tokens[i+1].text)
	}
	if s.tokens[i].text == "-" && i > 0 && !s.tokens[i].open && inText(s.tokens[i-1].text) && s.tokens[i+1].num < 0 {
		return true // "semi-annually"
	}
	marks := []string{"-", "–", "—", "~", "/", "+", ":", ".", "'"}
	return slices.Contains(marks, s.tokens[i].text) && i > 0 && !s.tokens[i].open && s.tokens[i-1].num >= 0
}

// wordFrom returns where the word around token i begins.
func (s *splitter) wordFrom(i, from int) int {
	for i > from && !s.tokens[i].open {
		i--
	}
	return i
}

// counted returns where a word begins that ends at j and may be part of a time.
func (s *splitter) counted(t stretch, j, from int, w way) int {
	for k := max(from, j-9); k < j; k++ {
		if s.endsAt(k, j, w) {
			return k
		}
	}
	for k := max(from, j-3); k < j; k++ {
		if end := s.weak(k); end == j && !w.far && (!t.full() || w.bound || s.byDay(t)) {
			return k
		}
		if s.unitAt(k, j) && (w.bound || k > from && (s.several(t, k, from) || s.sharp(k, from))) {
			return k
		}
	}
	return s.numberBefore(t, j, from, w)
}

// endsAt reports whether the words from k to j add to a time that follows.
func (s *splitter) endsAt(k, j int, w way) bool {
	if !w.far {
		if end := s.sharpens(k, "before"); end >= j {
			return true
		}
		if end := s.zone(stretch{}, k); end == j {
			return true
		}
	}
	for _, step := range s.at(k) {
		if s.tokens[k].num >= 0 && !s.apart(k) {
			break // "$12 December"
		}
		if step.end >= j && s.tells(step, k) { // also one that reaches into the time
			return true
		}
	}
	_, end := s.value(k, "month")
	return end == j
}

// unitAt reports whether the words from k to j are a unit.
func (s *splitter) unitAt(k, j int) bool {
	for _, end := range s.meanings(k, "unit") {
		if end == j {
			return true
		}
	}
	return false
}

// several reports whether a number before a unit counts it as part of the time. With a
// full time it is how long something takes: "for 2 hours".
func (s *splitter) several(t stretch, k, from int) bool {
	n := s.numberEnding(k, from)
	if n == k {
		return false
	}
	return !t.full() || s.byDay(t) || n > from && s.counted(stretch{}, n, n-1, way{}) < n
}

// sharp reports whether the words before a unit at k make it one of many: "the last week".
func (s *splitter) sharp(k, from int) bool {
	for i := max(from, k-2); i < k; i++ {
		for _, class := range []string{"beside", "last"} {
			for v, end := range s.meanings(i, class) {
				if end == k && v != "weak" && v != "date" && v != "of" {
					return true
				}
			}
		}
	}
	return false
}

// numberEnding returns where a number or an ordinal begins that ends at j; j for none.
func (s *splitter) numberEnding(j, from int) int {
	for k := max(from, j-4); k < j; k++ {
		_, end, _ := s.numberAt(k)
		if end == j-1 && s.tokens[end].text == "." && !s.tokens[end].open {
			end = j // "the 3." in German
		}
		if end == j && s.apart(k) {
			return k
		}
	}
	return j
}

// apart reports whether a number stands alone, unlike in "LH452", "$5" or "#3".
func (s *splitter) apart(k int) bool {
	if k == 0 || s.tokens[k].open {
		return true
	}
	r, _ := utf8.DecodeRuneInString(s.tokens[k-1].text)
	return unicode.Is(unicode.Han, r) || slices.Contains([]string{"-", "–", "~", "/", ":", ".", ",", "(", "\""}, s.tokens[k-1].text)
}

// numberBefore is counted for a number or an ordinal.
func (s *splitter) numberBefore(t stretch, j, from int, w way) int {
	k := s.numberEnding(j, from)
	if k == j {
		return j
	}
	n, _, ordinal := s.numberAt(k)
	if ordinal && s.byDay(t) {
		return k
	}
	switch {
	case n > 31 && !clockOrYear(s.tokens[k].text), s.tag == "zh" && !w.bound:
		return j
	case w.bound && !w.loose:
		return min(j, s.notArticle(k, j))
	case s.notArticle(k, j) == j:
		return j
	case k == from:
		return k
	case s.leads(k, from):
		return k
	case !w.loose && j == t.from && (s.digitAt(j) || s.ranges(t) && !s.overLoose(k, from)): // "17 to 18", "6 0 2 pm"
		return k
	case w.loose || t.full() || len(t.clocks) > 0:
		return j
	}
	return k
}

// notArticle returns k, or j if the number is an article.
func (s *splitter) notArticle(k, j int) int {
	if s.notOne(k, j) == k {
		return j
	}
	return k
}

// leads reports whether the words before a number at k make it part of a time: "on the
// 5", "Saturday 5".
func (s *splitter) leads(k, from int) bool {
	for i := max(from, k-4); i < k; i++ {
		if s.endsAt(i, k, way{}) || s.sharpens(i, "date") == k {
			return true
		}
	}
	return false
}

// byDay reports whether a time begins with a weekday, which a number or an ordinal can
// narrow down.
func (s *splitter) byDay(t stretch) bool {
	if t.from >= len(s.tokens) {
		return false
	}
	day, _, _ := s.weekday(t.from, "weekday")
	return day >= 0 || t.day != nil && len(t.day.days) > 0 && t.from == t.to
}

// ranges reports whether a time begins with a binding word: "to 18".
func (s *splitter) ranges(t stretch) bool {
	return s.means(t.from, "between", "1")
}

// overLoose reports whether a word such as "for" stands before a number, which then counts
// something else.
func (s *splitter) overLoose(k, from int) bool {
	var w way
	return s.backOver(k, from, &w) < k && w.loose
}

// backOver is over, backwards: for words that end at j.
func (s *splitter) backOver(j, from int, w *way) int {
	for k := max(from, j-3); k < j; k++ {
		was := *w
		if s.over(k, w) == j {
			return k
		}
		*w = was
	}
	return j
}

// and returns where a word from rest to from begins that joins a second time to the first;
// from for none.
func (s *splitter) and(rest, from int) int {
	for k := max(rest, from-2); k < from; k++ {
		if _, end := s.value(k, "and"); end == from {
			return k
		}
	}
	return from
}
