package times

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// piece is what one phrase says.
type piece struct {
	kind  string
	args  []string
	spans []amount // "2 hours and 10 minutes"; of {unit} alone one of it
	clock          // {h}, {mm} or {min}, {half}
	part  string   // {part}
	days  []time.Weekday
	dates []int // {ords}: days of the month
	date        // {d}, {m} or {month}, {y}
	nth   int   // {nth}: 1 is the first, -1 the last, 0 was not said
}

// amount is a number of a unit: "minute", "hour", "day", "week", "month", "year".
type amount struct {
	n    float64
	unit string
}

// clock is a time of day in somebody's words.
type clock struct {
	hour, minute int
	second       int
	said         bool
	half         string // "am", "pm" or "": was not said
	part         string // "8 in the evening"
	digits       bool   // written as 17:30, which is no half past five
	padded       bool   // written with a zero: 05
	written      bool   // in a language that counts to 24, where no half of a day is said
	bare         bool   // only a number
	before       bool   // the named hour is the next one: "quarter to 7"
}

// date holds the parts of a date; 0 was not said.
type date struct{ day, month, year int }

func (p piece) arg(i int) string {
	if i < len(p.args) {
		return p.args[i]
	}
	return ""
}

// matcher reads a text in one language.
type matcher struct {
	*tongue
	tokens []token
	begun  map[int][]step // pieces by the token they begin at
	steps  int            // how much work is still allowed
}

// mostSteps bounds the work on a text; no real time comes near.
const mostSteps = 60_000

// found takes what was read up to a token, and returns whether to look for another
// reading.
type found func(end int, p piece) bool

// match reads a shape from token i on.
func (m *matcher) match(shape []node, i int, p piece, next found) bool {
	if m.steps--; m.steps < 0 {
		return false
	}
	if len(shape) == 0 {
		return next(i, p)
	}
	first, rest := shape[0], shape[1:]
	on := func(end int, p piece) bool { return m.match(rest, end, p, next) }
	switch {
	case first.word != "":
		return i >= len(m.tokens) || m.tokens[i].text != first.word || on(i+1, p)
	case first.slot != "":
		return m.fill(first.slot, i, p, on)
	}
	for _, way := range first.ways {
		if !m.match(way, i, p, on) {
			return false
		}
	}
	return true
}

// fill reads the value of a slot.
func (m *matcher) fill(slot string, i int, p piece, on found) bool {
	switch slot {
	case "n":
		return m.quantity(i, func(n float64, end int) bool {
			p.spans = []amount{{n: n}}
			return on(end, p)
		})
	case "unit":
		for unit, end := range m.meanings(i, "unit") {
			q, n := p, 1.0
			if len(p.spans) == 1 && p.spans[0].unit == "" {
				n = p.spans[0].n
			}
			n, end = m.andHalf(n, end)
			q.spans = []amount{{n, unit}}
			if !on(end, q) {
				return false
			}
		}
		return true
	case "span":
		return m.span(i, nil, func(end int, all []amount) bool {
			p.spans = all
			return on(end, p)
		})
	case "part", "half":
		for v, end := range m.meanings(i, slot) {
			q := p
			if q.part = v; slot == "half" {
				q.part, q.half = p.part, v
			}
			if !on(end, q) {
				return false
			}
		}
		return true
	case "nth":
		return m.nthOf(i, p, on)
	case "ords":
		return m.ordinals(i, p, on)
	case "glued", "edge", "alone":
		return !m.stands(slot, i) || on(i, p)
	case "weekday", "weekdays", "plural", "short", "listed":
		return m.weekdays(slot, i, p, on)
	}
	return m.ofWords(slot, i, p, on)
}

// stands reports whether a slot that reads nothing is true of the place before token i.
func (m *matcher) stands(slot string, i int) bool {
	switch slot {
	case "glued":
		return i < len(m.tokens) && !m.tokens[i].open
	case "edge": // the text begins or ends here
		return i == 0 || i >= len(m.tokens)
	}
	if i >= len(m.tokens) || !inText(m.tokens[i].text) || m.means(i, "at", "") || m.means(i, "joint", "") {
		return true // alone: nothing follows that a number could count
	}
	return slices.ContainsFunc(m.at(i), func(s step) bool { return slices.Contains([]string{"day", "weekday", "part", "date"}, s.kind) })
}

// ofWords reads a slot of a number in words, or of a length of time that stands for itself.
func (m *matcher) ofWords(slot string, i int, p piece, on found) bool {
	switch slot {
	case "lasts", "brief":
		return m.span(i, nil, func(end int, all []amount) bool {
			p.spans = all
			return !m.lasts(i, end, all, slot == "brief") || on(end, p)
		})
	case "minw", "hw": // 20 in "at 8 20 push-ups" is none
		if i < len(m.tokens) && m.tokens[i].num < 0 {
			return m.figure(map[string]string{"minw": "mins", "hw": "h"}[slot], i, p, on)
		}
		return true
	}
	return m.figure(slot, i, p, on)
}

// figure reads a slot of one whole number.
func (m *matcher) figure(slot string, i int, p piece, on found) bool {
	fit := func(n, least, most, end int, into *int) bool {
		if n < least || n > most {
			return true
		}
		*into = n
		return on(end, p)
	}
	switch slot {
	case "h":
		n, end := m.whole(i)
		if n == 1 && m.tag == "en" && m.tokens[i].num < 0 && m.tokens[i].text != "one" {
			return true // "at a party"
		}
		p.said, p.padded = true, i < len(m.tokens) && len(m.tokens[i].text) > 1 && m.tokens[i].text[0] == '0'
		return fit(n, 0, 24, end, &p.hour)
	case "mm":
		if i < len(m.tokens) && len(m.tokens[i].text) == 2 && !(m.tokens[i].open && strings.Contains(".:", m.tokens[i-1].text)) {
			p.digits = true
			return fit(m.tokens[i].num, 0, 59, i+1, &p.minute)
		}
		return true
	case "ss":
		if n, end := m.digits(i, 2, 2); n >= 0 && !m.tokens[i].open {
			return fit(n, 0, 59, end, &p.second)
		}
		return true
	case "min":
		n, end := m.whole(i)
		return fit(n, 1, 59, end, &p.minute)
	case "few": // of the twelfths of an hour, in Cantonese
		n, end := m.whole(i)
		return fit(n, 1, 11, end, &p.minute)
	case "mins":
		n, end := m.whole(i)
		return fit(n, 10, 59, end, &p.minute)
	case "hm":
		n, end := m.digits(i, 3, 4)
		p.said, p.digits, p.padded = true, true, n >= 0 && m.tokens[i].text[0] == '0'
		if p.minute = n % 100; n < 0 || p.minute > 59 {
			return true
		}
		return fit(n/100, 0, 24, end, &p.hour)
	}
	return m.dateFigure(slot, i, p, on)
}

// dateFigure reads a slot of a month or a year.
func (m *matcher) dateFigure(slot string, i int, p piece, on found) bool {
	fit := func(n, least, most, end int, into *int) bool {
		if n < least || n > most {
			return true
		}
		*into = n
		return on(end, p)
	}
	switch slot {
	case "dd": // which can be no month
		n, end := m.digits(i, 2, 2)
		return fit(n, 13, 31, end, &p.day)
	case "m":
		n, end := m.digits(i, 1, 2)
		return fit(n, 1, 12, end, &p.month)
	case "mord": // a month as an ordinal: "am siebten vierten"
		q := p
		return m.dayOfMonth("ord", i, p, func(end int, found piece) bool {
			q.month = found.date.day
			return q.month > 12 || on(end, q)
		})
	case "y":
		n, end := m.digits(i, 4, 4)
		if n < 0 {
			n, end = m.yearInWords(i)
		}
		return fit(n, 1900, 2999, end, &p.year)
	case "yy":
		n, end := m.digits(i, 2, 2)
		return fit(2000+n, 2000, 2099, end, &p.year)
	case "month":
		n, end := m.value(i, "month")
		return fit(n, 1, 12, end, &p.month)
	}
	return m.dayOfMonth(slot, i, p, on)
}

// dayOfMonth reads {d}, a number or an ordinal, or {ord}, which is an ordinal.
func (m *matcher) dayOfMonth(slot string, i int, p piece, on found) bool {
	n, end := m.value(i, "ordinal")
	if n < 0 {
		n, end = m.whole(i)
		if slot == "d" {
			if n, end := m.digits(i, 1, 2); n >= 1 && n <= 31 {
				q := p
				if q.day = n; !on(end, q) {
					return false
				}
			}
		}
		_, suffixed := m.first(end, "suffix")
		ordinal := suffixed > end
		if q := p; ordinal && slot == "d" && n >= 1 && n <= 31 && m.tokens[i].num < 0 { // the phrase may name it: 二十号
			q.day = n
			on(end, q)
		}
		end = suffixed
		if !ordinal && (slot == "ord" || n > 0 && m.tokens[i].num >= 0) {
			return true
		}
	}
	if p.day = n; n < 1 || n > 31 {
		return true
	}
	return on(end, p)
}

// nthOf reads which of a month's weekdays is meant: the first to the fifth, or the last.
func (m *matcher) nthOf(i int, p piece, on found) bool {
	if n, end := m.value(i, "last"); n >= 0 {
		p.nth = -1
		return on(end, p)
	}
	q := p
	return m.dayOfMonth("ord", i, p, func(end int, found piece) bool {
		q.nth = found.day
		return q.nth > 5 || on(end, q)
	})
}

// ordinals reads several days of the month: "the 1st and the 15th".
func (m *matcher) ordinals(i int, p piece, on found) bool {
	dates := p.dates
	return m.dayOfMonth("ord", i, p, func(end int, q piece) bool {
		q.dates = append(dates[:len(dates):len(dates)], q.date.day)
		next := m.joined(end)
		for _, e := range m.meanings(next, "between") {
			if next > end && !m.ordinals(e, q, on) {
				return false
			}
		}
		if next > end && !m.ordinals(next, q, on) {
			return false
		}
		return len(q.dates) < 2 || on(end, q)
	})
}

// weekdays reads one day of the week, or several: "Monday, Tuesday and Friday".
func (m *matcher) weekdays(slot string, i int, p piece, on found) bool {
	class := "weekday"
	switch slot {
	case "plural":
		class = "weekdays"
	case "short":
		class, slot = "short", "weekday"
	case "listed":
		class = "weekday"
	}
	day, end, part := m.weekday(i, class)
	if day < 0 && slot == "weekdays" {
		day, end, part = m.weekday(i, "weekdays")
	}
	if day < 0 || len(p.days) >= 7 || part != "" && p.part != "" {
		return true
	}
	if part != "" {
		p.part = part
	}
	p.days = append(p.days[:len(p.days):len(p.days)], time.Weekday(day%7))
	if slot != "weekday" {
		if !m.weekdays(slot, m.joined(end), p, on) {
			return false
		}
	}
	return on(end, p)
}

// weekday reads a weekday; the word may name a part of the day, too.
func (m *matcher) weekday(i int, class string) (day, end int, part string) {
	v, end := m.first(i, class)
	if end == i {
		return -1, 0, ""
	}
	n, part, _ := strings.Cut(v, " ")
	day, _ = strconv.Atoi(n) // TestTongues
	return day, end, part
}

// joined skips commas and one "and".
func (m *matcher) joined(i int) int {
	if i < len(m.tokens) && m.tokens[i].text == "," {
		i++
	}
	if _, end := m.value(i, "and"); end > 0 {
		i = end
	}
	return i
}

// digits reads a number with least to most digits; -1 for none.
func (m *matcher) digits(i, least, most int) (n, end int) {
	if i >= len(m.tokens) || len(m.tokens[i].text) < least || len(m.tokens[i].text) > most {
		return -1, i
	}
	return m.tokens[i].num, i + 1
}

// whole reads a whole number in digits or words; -1 for none.
func (m *matcher) whole(i int) (n, end int) {
	if i >= len(m.tokens) {
		return -1, i
	}
	if n = m.tokens[i].num; n >= 0 {
		return n, i + 1
	}
	n, end = m.value(i, "number")
	r, _ := utf8.DecodeRuneInString(m.tokens[i].text)
	switch chinese := unicode.Is(unicode.Han, r); {
	case n < 0:
		return -1, i
	case chinese:
		return m.chinese(n, end)
	case n >= 20 && n%10 == 0:
		at := end
		if _, e := m.value(end, "tens"); e > 0 {
			at = e
		}
		if one, e := m.value(at, "number"); one > 0 && one < 10 {
			return n + one, e
		}
	}
	return n, end
}

// chinese reads on after the first character of a number: 二十五 is two, ten, five.
func (m *matcher) chinese(n, end int) (int, int) {
	if ten, e := m.value(end, "number"); n < 10 && ten == 10 {
		n, end = 10*n, e
	}
	if one, e := m.value(end, "number"); n >= 10 && one >= 0 && one < 10 {
		n, end = n+one, e
	}
	return n, end
}

// quantity reads a number, which may have decimals, or a fraction.
func (m *matcher) quantity(i int, on func(n float64, end int) bool) bool {
	n, end := m.whole(i)
	if n >= 0 {
		if d, e := m.digits(end+1, 1, 2); d >= 0 && end > i && (m.tokens[end].text == "." || m.tokens[end].text == ",") && !m.tokens[end+1].open {
			f, _ := strconv.ParseFloat(strconv.Itoa(n)+"."+m.tokens[end+1].text, 64)
			if !on(f, e) {
				return false
			}
		}
		if !on(float64(n), end) {
			return false
		}
	}
	for v, end := range m.meanings(i, "fraction") {
		f, _ := strconv.ParseFloat(v, 64) // TestTongues
		if !on(f, end) {
			return false
		}
	}
	return true
}

// span reads amounts one after another: "2 hours and 10 minutes", "half an hour",
// "an hour and a half".
func (m *matcher) span(i int, before []amount, on func(end int, all []amount) bool) bool {
	if m.steps--; m.steps < 0 || len(before) > 3 {
		return m.steps >= 0
	}
	more := func(a amount, end int) bool {
		all := append(before[:len(before):len(before)], a)
		return m.span(m.joined(end), all, on) && (end == m.joined(end) || m.span(end, all, on)) && on(end, all)
	}
	for v, end := range m.meanings(i, "length") {
		n, unit, _ := strings.Cut(v, " ")
		f, _ := strconv.ParseFloat(n, 64) // TestTongues
		if !more(amount{f, unit}, end) {
			return false
		}
	}
	return m.quantity(i, func(n float64, at int) bool {
		n, at = m.andHalf(n, at)
		for unit, end := range m.meanings(at, "unit") {
			if len(m.tokens[at].text) == 1 && m.tokens[at].open && n >= 1000 {
				continue // "in 1990 s"
			}
			n, end := m.andHalf(n, end)
			if minutes, e := m.digits(end, 2, 2); unit == "hour" && minutes >= 0 && minutes < 60 && !m.tokens[end].open &&
				len(before) == 0 && !on(e, []amount{{n, unit}, {float64(minutes), "minute"}}) { // "1h30"
				return false
			}
			if !more(amount{n, unit}, end) {
				return false
			}
		}
		return true
	})
}

// lasts reports whether tokens are a length of time and no time of day, as "15h" and "15 heures"
// are. A brief one is of digits and units without spaces: 1h30m.
func (m *matcher) lasts(i, end int, all []amount, brief bool) bool {
	last := m.tokens[end-1]
	military := m.tokens[i].num >= 0 && len(m.tokens[i].text) > 2 && all[0].unit == "hour" // "0930 hours"
	if military || last.num >= 0 || last.text == "h" || len(all) == 1 && all[0].unit == "hour" && m.tag != "en" && m.tag != "de" {
		return false
	}
	return !brief || m.tokens[i].num >= 0 && !slices.ContainsFunc(m.tokens[i+1:end], func(t token) bool { return t.open })
}

// andHalf adds what "and a half" adds to a number.
func (m *matcher) andHalf(n float64, i int) (float64, int) {
	v, end := m.first(i, "and-half")
	f, _ := strconv.ParseFloat(v, 64) // TestTongues; 0 for none
	return n + f, end
}
