package times

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words beside a time may belong to it and change it: "before", a number, a zone.
// splitter finds how far that reaches; when in doubt it asks, rather than take a part for
// the whole.

// way says what was skipped between a time and a word beside it.
type way struct {
	loose bool // a word such as "in", or a comma: a number counts only if more of a time follows it
	far   bool // such a word: "before" and the like do not count
	bound bool // a binding word, such as "and" or "to"
	named bool // an article: a unit is a thing, as in "plan the week"
}

// forward returns where the words after a time, which ends at t.to, stop belonging to it.
func (s *splitter) forward(t stretch, to int) int {
	i := t.to
	for i < to {
		end := i
		for _, x := range s.readers {
			if x == s || !x.means(i, "half", "") { // "um 9 am Bahnhof" is no "9 am"
				end = max(end, x.follows(t, i))
			}
		}
		if end == i {
			break
		}
		i, t = min(end, to), stretch{from: t.from, to: end}
	}
	return i
}

// backward returns where the words before a time, which begins at t.from, begin to belong
// to it.
func (s *splitter) backward(t stretch, from int) int {
	i := t.from
	for i > from {
		begin := i
		for _, x := range s.readers {
			begin = min(begin, x.precedes(t, i, from))
		}
		if begin == i {
			break
		}
		i, t = max(begin, from), stretch{from: begin, to: t.to}
	}
	return i
}

// full reports whether a time has a day and an hour, or says how far off it is.
func (t stretch) full() bool {
	day := t.day != nil || t.shift != nil || t.rhythm != nil
	return t.exact || t.ahead != nil || day && len(t.clocks) > 0
}

// byDay reports whether a time has a weekday.
func (t stretch) byDay() bool { return t.day != nil && len(t.day.days) > 0 }

// closed reports whether no following number can add to the hour, as in "at 9 30".
func (t stretch) closed() bool {
	if len(t.clocks) == 0 {
		return t.exact
	}
	c := t.clocks[len(t.clocks)-1]
	return c.digits || c.half != "" || c.part != ""
}

// follows returns where the words right after a time, from token i on, stop belonging to
// it; i for none that do.
func (s *splitter) follows(t stretch, i int) int {
	if s.glued(i) {
		return s.unglued(i)
	}
	for k := max(t.from, i-6); k < i; k++ {
		for _, step := range s.at(k) {
			if step.end > i && s.tells(step, k) {
				return step.end // the time ends within a piece of another
			}
		}
	}
	if end := s.monthOf(t, i); end > i {
		return end
	}
	if end := s.monthday(i); end > i && !t.full() && (t.byDay() || t.day == nil && t.shift == nil && t.rhythm == nil) {
		return end // "Friday the 13th"
	}
	j, w := i, way{}
	for n := 0; n < 3 && j < len(s.tokens); n++ {
		end := s.over(j, &w)
		if end == j {
			break
		}
		j = end
		if end := s.monthday(j); w.bound && end > j {
			return end // "and on the 17th"
		}
	}
	if j >= len(s.tokens) {
		return i
	}
	if end := s.belongs(t, j, w); end > j {
		return end
	}
	if end := s.belongs(t, i, way{}); j > i && end > i { // "à" is none, "à partir de" is
		return end
	}
	return i
}

// monthOf returns where what a day of the month is a day of ends, if that is no month that
// is known: "the 5th of Ramadan", "the last day of school".
func (s *splitter) monthOf(t stretch, i int) int {
	if t.day == nil || t.day.kind != "monthday" || t.shift != nil || len(t.clocks) > 0 {
		return i
	}
	end := s.sharpens(i, "of")
	if end == i || end == len(s.tokens) {
		return i
	}
	for v, after := range s.meanings(end, "between") {
		if v == "article" {
			end = after
			break
		}
	}
	return min(end+1, len(s.tokens))
}

// monthday returns where a day of the month ends that begins at i; i for none.
func (s *splitter) monthday(i int) int {
	for _, step := range s.at(i) {
		if step.piece.kind == "monthday" {
			return step.end
		}
	}
	return i
}

// over skips a word or a mark that may be part of a time.
func (s *splitter) over(i int, w *way) int {
	switch text := s.tokens[i].text; text {
	case ",", "(", ")", "·", "∙", "•", "|":
		w.loose = true
		return i + 1
	case "-", "–", "—", "~", "/", "+":
		if s.tight(i) || s.digitAt(i+1) && i > 0 && (s.tokens[i-1].num >= 0 || s.tokens[i-1].text == ".") {
			w.bound = true
		} else {
			w.loose = true
		}
		return i + 1
	case ":", ".":
		if !s.tokens[i].open && s.digitAt(i+1) && !s.tokens[i+1].open {
			w.bound = true
			return i + 1
		}
		return i
	}
	if _, end := s.value(i, "and"); end > i {
		w.bound = true
		return end
	}
	_, joint := s.value(i, "joint")
	if _, end := s.value(i, "filler"); end > i && joint == 0 {
		return end
	}
	if v, end := s.first(i, "between"); end > i {
		w.loose, w.far, w.bound, w.named = w.loose || v == "loose", w.far || v == "loose", w.bound || v == "1", w.named || v == "article"
		return end
	}
	if _, e := s.value(i, "at"); e > i {
		if s.digitAt(e) {
			w.bound = true
		} else {
			w.loose, w.far = true, true
		}
		return e
	}
	return i
}

// tight reports whether a mark lacks a space on at least one side.
func (s *splitter) tight(i int) bool {
	return i+1 < len(s.tokens) && !(s.tokens[i].open && s.tokens[i+1].open)
}

// belongs returns where a word at j that may be part of a time ends; j if it is not.
func (s *splitter) belongs(t stretch, j int, w way) int {
	if end := s.sharpens(j, "after"); end > j && !w.far {
		return end
	}
	if t.part != "" && s.means(j, "part", t.part) {
		return j // "at noon lunch"
	}
	if end := s.named(j); end > j {
		return end
	}
	if end := s.zone(t, j); end > j && !w.far {
		return end
	}
	weak := t.full() && !w.bound
	if end := s.weak(j); end > j && !weak && !w.far {
		return end
	}
	if end := s.single(j); end > j && !w.far && (w.bound || !w.named || t.byDay() && !t.full()) {
		return end
	}
	return s.counts(t, j, w)
}

// counts returns where a number or an ordinal at j that may be part of a time ends.
func (s *splitter) counts(t stretch, j int, w way) int {
	n, end, ordinal := s.numberAt(j)
	switch {
	case end == j || n > 59 && !clockOrYear(s.tokens[j].text) && (t.day == nil || len(t.clocks) > 0):
		return j
	case s.more(end), t.day != nil && t.day.kind == "date" && t.day.year == 0 && len(s.tokens[j].text) == 4 && n > 1900:
		return end
	case w.bound && !w.loose:
		return s.notOne(j, end)
	case s.tag == "zh" && j > 0 && strings.Contains("点點时零", s.tokens[j-1].text):
		return s.notOne(j, end)
	case w.loose || s.tag == "zh":
		return j
	case t.full() && (ordinal || t.closed() || w.named), ordinal && t.day != nil && t.day.kind == "day":
		return j
	case t.rhythm != nil && len(t.clocks) == 0 && !ordinal && s.wordAt(end):
		return j // "every day 2 pills"
	}
	return s.notOne(j, end)
}

// notOne returns end, or j if the number is an article: "a friend".
func (s *splitter) notOne(j, end int) int {
	if n, _ := s.value(j, "number"); n == 1 && s.tokens[j].num < 0 {
		return j
	}
	return end
}

// more reports whether a time goes on at i: with a unit, a month, a day, an hour.
func (s *splitter) more(i int) bool {
	if i >= len(s.tokens) {
		return false
	}
	if _, end := s.value(i, "suffix"); s.tag == "zh" && end > i {
		return true
	}
	if s.means(i, "unit", "") || s.means(i, "half", "") || s.named(i) > i || s.single(i) > i || s.sharpens(i, "after") > i {
		return true
	}
	var w way
	if end := s.over(i, &w); end > i && w.bound && end < len(s.tokens) { // "9 to 10"
		_, e, _ := s.numberAt(end)
		return e > end || s.named(end) > end
	}
	return false
}

// numberAt reads a number or an ordinal.
func (s *splitter) numberAt(i int) (n, end int, ordinal bool) {
	if i >= len(s.tokens) {
		return -1, i, false
	}
	if n, end = s.value(i, "ordinal"); n >= 0 {
		return n, end, true
	}
	if n, end = s.whole(i); n < 0 {
		return n, i, false
	}
	if end < len(s.tokens) && !s.tokens[end].open {
		if _, e := s.value(end, "suffix"); e > end && s.tokens[end].text != "." {
			return n, e, true
		}
		if r, _ := utf8.DecodeRuneInString(s.tokens[end].text); unicode.IsLetter(r) && !unicode.Is(unicode.Han, r) && !s.more(end) {
			return -1, i, false // "2x"
		}
	}
	return n, end, false
}

// named returns where a piece that can only be a time ends: "tomorrow", "Friday", "in 2
// weeks", "May".
func (s *splitter) named(i int) int {
	if i >= len(s.tokens) {
		return i
	}
	for _, step := range s.at(i) {
		if s.tells(step, i) {
			return step.end
		}
	}
	if end := s.sharpens(i, "always"); end > i && s.sharpens(i, "") < end {
		return end
	}
	_, end := s.value(i, "month")
	return max(i, end)
}

// tells reports whether a piece is surely a time, unlike a number, an ordinal, or a single
// Chinese character.
func (s *splitter) tells(p step, i int) bool {
	switch p.piece.kind {
	case "bare", "coming", "after":
		return false
	case "monthday":
		return p.piece.arg(0) == "last"
	}
	r, _ := utf8.DecodeRuneInString(s.tokens[i].text)
	return p.end > i+1 || !unicode.Is(unicode.Han, r)
}

// sharpens returns where a word that narrows a time from this side ends.
func (s *splitter) sharpens(i int, side string) int {
	for v, end := range s.meanings(i, "beside") {
		if v == "1" || v == side || v == "always" && side == "before" {
			return end
		}
	}
	return i
}

// weak returns where a word that is often something else ends. Beside a full time it is
// taken for that.
func (s *splitter) weak(i int) int {
	end := i
	for _, class := range []string{"beside", "last", "fraction"} {
		for v, e := range s.meanings(i, class) {
			if class != "beside" || v == "weak" {
				end = e
				break
			}
		}
	}
	return end
}

// single returns where a unit, a length, or a half of the day ends. Units of one letter,
// Chinese ones among them, count only after a number.
func (s *splitter) single(i int) int {
	end := i
	for _, class := range []string{"unit", "length", "half", "and-half"} {
		if class != "unit" || i < len(s.tokens) && utf8.RuneCountInString(s.tokens[i].text) > 1 || i > 0 && s.tokens[i-1].num >= 0 {
			if _, e := s.first(i, class); e > i {
				end = e
			}
		}
	}
	return end
}

// zone finds the name of a time zone; in small letters only after an hour.
func (s *splitter) zone(t stretch, i int) int {
	if z, ok := zoneClocks[s.tokens[i].text]; ok && (s.tokens[i].upper || z.small && len(t.clocks) > 0) {
		return i + 1
	}
	return i
}

// glued reports whether a time ends within a word: "T10", "17h", "tomorrow's".
func (s *splitter) glued(i int) bool {
	if i == 0 || i >= len(s.tokens) || s.tokens[i].open {
		return false
	}
	if inText(s.tokens[i-1].text) && inText(s.tokens[i].text) {
		return true
	}
	mark := s.tokens[i].text
	return (mark == "'" || mark == "-" && s.tokens[i-1].num < 0) && i+1 < len(s.tokens) && !s.tokens[i+1].open && inText(s.tokens[i+1].text)
}

// unglued returns where the word around i ends.
func (s *splitter) unglued(i int) int {
	for i++; i < len(s.tokens) && !s.tokens[i].open && (inText(s.tokens[i].text) || strings.Contains("-':.", s.tokens[i].text)); i++ {
		if i+1 == len(s.tokens) || s.tokens[i+1].open && strings.Contains(",:;.!?", s.tokens[i].text) {
			return i
		}
	}
	return i
}

// inText reports whether a word begins with a digit, or a letter of a script with spaces
// between words.
func inText(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return inWord(r) || unicode.IsDigit(r)
}

func (s *splitter) digitAt(i int) bool {
	if i >= len(s.tokens) {
		return false
	}
	n, end := s.whole(i)
	return n >= 0 && s.notOne(i, end) > i
}

func (s *splitter) wordAt(i int) bool {
	if i >= len(s.tokens) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s.tokens[i].text)
	return unicode.IsLetter(r)
}

// clockOrYear reports whether digits can be a time of day or a year: 1530, 2027.
func clockOrYear(digits string) bool {
	if len(digits) != 4 {
		return false
	}
	return digits[:2] == "19" || digits[:2] == "20" || digits[:2] < "24" && digits[2:] < "60"
}
