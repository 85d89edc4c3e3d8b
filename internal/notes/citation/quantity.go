package citation

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/text"
)

// quantity is a number in a text, with all its possible values: "1.234" has two,
// depending on the country.
type quantity struct {
	values  []float64
	written string     // what is no number, such as 192.168.0.1
	apart   []quantity // its parts, if the space may separate two numbers
	about   bool       // "about", "over"
	exact   bool       // part of a date: a rounded number does not match it
	unit    unit
	sign    sign
	word    bool   // in words: what an answer counts itself, it may say so
	beside  string // what stands around it
	clause  string // of that, what no sign of a sentence separates from it
	next    string // the word behind it
}

func (q quantity) in(s *said) bool {
	other := false          // the number is there, of something else
	byLabel, lost := -1, -1 // words beside it where a label has it, and where it has another sign
	for _, n := range s.numbers {
		if q.written != "" && n.written == q.written {
			return true
		}
		if n.exact && q.unit.kind != "" {
			continue // the day of a date counts nothing
		}
		if turned := q.sign.clashes(n.sign) && !n.exact; turned || q.unit.clashes(n.unit) {
			if slices.ContainsFunc(q.values, func(v float64) bool { return slices.Contains(n.values, v) }) {
				other = true
				if turned {
					lost = max(lost, q.near(n))
				}
			}
			continue
		}
		by, of := 1.0, 1.0
		if q.unit.kind == n.unit.kind && q.unit.kind != "" {
			by, of = q.unit.size, n.unit.size
		}
		for _, v := range q.values {
			switch same := slices.ContainsFunc(n.values, func(w float64) bool { return q.same(v*by, w*of) && (!n.exact || v == w) }); {
			case same && (n.unit.kind != "label" || q.unit.kind == "label"):
				return true
			case same:
				byLabel = max(byLabel, q.near(n))
			}
		}
	}
	if byLabel >= max(lost, 0) {
		return true
	}
	if len(q.apart) > 0 && !other && !slices.ContainsFunc(q.apart, func(p quantity) bool { return !p.in(s) }) {
		return true
	}
	return q.word && q.values[0] <= maxCounted && lost <= 0 && !q.contradicted(s)
}

// maxCounted is the largest number in words that an answer may have counted itself: "for
// two reasons".
const maxCounted = 10

// contradicted reports whether a passage counts what q counts, or has another number
// beside the same word.
func (q quantity) contradicted(s *said) bool {
	return slices.ContainsFunc(s.numbers, func(n quantity) bool {
		if q.unit.kind != "" {
			return n.unit.kind == q.unit.kind
		}
		return len(n.values) > 0 && !n.exact && slices.ContainsFunc(neighbors(q), func(w string) bool { return strings.Contains(n.beside, w) })
	})
}

// near counts the words of their clauses that two numbers share.
func (q quantity) near(n quantity) int {
	mine, theirs := besideWords(q.clause), besideWords(n.clause)
	shared := 0
	for w := range mine {
		if theirs[w] {
			shared++
		}
	}
	return shared
}

// besideWords returns the words of a text, in scripts without spaces each letter.
func besideWords(s string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if !strings.ContainsFunc(w, text.Unspaced) {
			all[w] = true
			continue
		}
		for _, r := range w {
			all[string(r)] = true
		}
	}
	return all
}

// neighbors lists the beginnings of the words beside a number that tell what it is.
func neighbors(q quantity) (all []string) {
	before := strings.FieldsFunc(q.beside[:min(len(q.beside), maxBeside)], func(r rune) bool { return !unicode.IsLetter(r) })
	if n := len(before); n > 0 && n-2 >= 0 {
		all = append(all, before[n-2:]...)
	} else {
		all = append(all, before...)
	}
	all = append(all, q.next)
	for i, w := range all {
		if letters := []rune(w); len(letters) > maxStem {
			all[i] = string(letters[:maxStem])
		}
	}
	return slices.DeleteFunc(all, func(w string) bool { return utf8.RuneCountInString(w) < minStem })
}

// minStem and maxStem bound the letters by which words are compared.
const minStem, maxStem = 5, 6

// maxBeside is how many bytes around a number are kept.
const maxBeside = 32

// same reports whether v can stand for w. A rounded number stands for those near it.
func (q quantity) same(v, w float64) bool {
	if q.about {
		return math.Abs(v-w) <= 0.1*math.Abs(w)
	}
	return math.Abs(v-w) <= 1e-9*math.Max(1, math.Abs(w))
}

var (
	figures = text.Pattern(`\d+(?:[.,'’·\x{a0}\x{2009}\x{202f} ]\d+)*`)
	roughly = text.Pattern(
		`(?:\b(?:about|around|roughly|approximately|approx\.?|almost|nearly|over|under|more than|less than|some|circa|ca\.?|rund|etwa|ungefähr|fast|über|knapp|environ|presque|plus de|unos|unas|casi|más de|circa|quasi|cerca de)|[~≈±<>])\s*[$€£¥]?\s*$`)
	times10 = text.Pattern(
		`^\s?(?:(k|thousand|tsd|tausend|mille|mil|тыс|千)|(m|mio|mn|mill|million|millions|millionen?|millones|millón|milioni|milhões|млн)|(bn|b|mrd|billion|billions|milliarden?|milliards?|mil millones|miliardi|млрд)|(万|萬|만)|(億|亿|억)|(lakh)|(crore))(?:[^\pL]|$)`)
	percent = text.Pattern(`^\s?(?:%|٪|percent|per cent|prozent|por ciento|pour cent|percento|проц)`)
	vaguely = text.Pattern(`(?:few|several|many|some|einige|mehrere|viele|varios|algunos|quelques|plusieurs|несколько|много|几|数)\s*$`)
	powers  = []float64{1e3, 1e6, 1e9, 1e4, 1e8, 1e5, 1e7}
	halves  = map[rune]float64{'½': 0.5, '¼': 0.25, '¾': 0.75, '⅓': 1.0 / 3, '⅔': 2.0 / 3}
)

// quantities lists the numbers in a lower-case text, in figures and in words. generous,
// which is for passages, also lists the parts and multiples of each and words that are
// not always numbers, so that answers may write them otherwise.
func quantities(s string, generous bool) (all []quantity) {
	for _, m := range figures().FindAllStringIndex(s, -1) {
		for _, part := range numbersApart(s[m[0]:m[1]]) {
			q := readNumber(part).placed(s, m[0], m[1])
			q.multiplied(s[m[1]:], generous)
			all = append(all, q)
			groups := strings.FieldsFunc(part, func(r rune) bool { return r < '0' || r > '9' })
			if generous && (len(q.values) == 0 || len(q.apart) > 0) {
				for _, f := range groups {
					all = append(all, readNumber(f))
				}
			}
		}
	}
	for _, w := range slices.Concat(numbersInWords(s), hanNumbers(s)) {
		if !generous && (!w.certain || vaguely().MatchString(s[max(0, w.from-maxBeside):w.from])) {
			continue
		}
		q := quantity{values: []float64{w.v}, word: true}.placed(s, w.from, w.to)
		if w.v < 1 && w.v > 0 { // a half is 50 percent, too
			q.values = append(q.values, w.v*100)
			q.unit = unit{}
		}
		all = append(all, q)
	}
	if generous {
		for r, v := range halves {
			if strings.ContainsRune(s, r) {
				all = append(all, quantity{values: []float64{v, v * 100}})
			}
		}
	}
	return all
}

// placed tells a number what stands around it in a text.
func (q quantity) placed(s string, from, to int) quantity {
	before, after := s[max(0, from-maxBeside):from], s[to:min(len(s), to+maxBeside)]
	q.about = roughly().MatchString(before)
	q.unit = unitOf(before, after)
	q.sign = signAt(s, from, to, q.unit)
	q.beside = strings.Repeat(" ", maxBeside-len(before)) + before + " " + after
	q.clause = before[strings.LastIndexAny(before, clauseEnds)+1:] + " " + after
	if end := strings.IndexAny(after, clauseEnds); end >= 0 {
		q.clause = q.clause[:len(q.clause)-len(after)+end]
	}
	if words := strings.FieldsFunc(after, func(r rune) bool { return !unicode.IsLetter(r) }); len(words) > 0 {
		q.next = words[0]
	}
	return q
}

// clauseEnds are the signs that end a clause.
const clauseEnds = ".,;:!?\n，。；：！？"

// multiplied adds what the words behind a number make of it: thousands, percent.
func (q *quantity) multiplied(after string, generous bool) {
	base := q.values
	if f := times10().FindStringSubmatch(after); f != nil {
		by := powers[slices.IndexFunc(f[1:], func(g string) bool { return g != "" })]
		unclear := slices.Contains([]string{"k", "m", "b", "mil", "mille"}, strings.TrimSpace(strings.Trim(f[0], ".,;)")))
		if !generous && !unclear {
			q.values = nil
		}
		for _, v := range base {
			q.values = append(q.values, v*by)
		}
	}
	if percent().MatchString(after) {
		for _, v := range base {
			q.values = append(q.values, v/100)
		}
	}
}

// numbersApart splits at spaces that do not group digits: "2031 900" is two numbers, "1
// 900" may be one.
func numbersApart(run string) (all []string) {
	var groups []string
	for _, f := range strings.FieldsFunc(run, isSpaceSign) {
		if n := len(groups); n > 0 && grouped(groups[n-1], f) {
			groups[n-1] += " " + f
		} else {
			groups = append(groups, f)
		}
	}
	return groups
}

func isSpaceSign(r rune) bool {
	return r == ' ' || r == '\u00a0' || r == '\u2009' || r == '\u202f'
}

// grouped reports whether after may continue the digits of a number before it.
func grouped(before, after string) bool {
	head, _, _ := strings.Cut(before, " ")
	whole, _, _ := strings.Cut(strings.ReplaceAll(after, ",", "."), ".")
	return len(whole) == 3 && len(head) <= 3 && strings.Trim(head, "0123456789") == "" && head[0] != '0'
}

// readNumber returns the possible values of a number: some countries separate thousands
// with the sign that others use for decimals.
func readNumber(run string) (q quantity) {
	if strings.Contains(run, " ") {
		for _, p := range strings.Fields(run) {
			q.apart = append(q.apart, readNumber(p))
		}
		joined := readNumber(strings.ReplaceAll(run, " ", ""))
		q.values = joined.values
		return q
	}
	run = strings.NewReplacer("’", "'", "·", ".").Replace(run)
	groups := strings.FieldsFunc(run, func(r rune) bool { return r < '0' || r > '9' })
	signs := strings.Trim(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, run), " ")
	last := len(groups) - 1
	number := func(text string) {
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			q.values = append(q.values, v)
		}
	}
	same := signs == "" || strings.Count(signs, signs[:1]) == len(signs)
	switch {
	case signs == "":
		number(run)
	case same && thousands(groups):
		number(strings.Join(groups, ""))
		if len(groups) == 2 && signs != "'" {
			number(groups[0] + "." + groups[1])
		}
	case len(groups) == 2:
		number(groups[0] + "." + groups[1])
	case thousands(groups[:last]) && strings.Count(signs[:len(signs)-1], signs[:1]) == len(signs)-1:
		if !same {
			number(strings.Join(groups[:last], "") + "." + groups[last])
		}
	}
	if len(groups) > 2 && len(q.values) == 0 {
		q.written = strings.Join(groups, ".")
		if signs[0] == ',' && same { // a list without spaces
			for _, g := range groups {
				q.apart = append(q.apart, readNumber(g))
			}
		}
	}
	return q
}

// thousands reports whether digits are grouped by threes, or as in India by twos and
// a three.
func thousands(groups []string) bool {
	if len(groups) < 2 || len(groups[0]) > 3 || groups[0] == "0" || len(groups[len(groups)-1]) != 3 {
		return len(groups) == 1
	}
	n := len(groups[1])
	for _, g := range groups[1 : len(groups)-1] {
		if len(g) != n || n < 2 || n > 3 {
			return false
		}
	}
	return true
}
