package citation

import (
	"math"
	"slices"
	"strconv"
	"strings"

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
}

func (q quantity) in(s *said) bool {
	for _, n := range s.numbers {
		if q.written != "" && n.written == q.written {
			return true
		}
		for _, v := range q.values {
			if slices.ContainsFunc(n.values, func(w float64) bool { return q.same(v, w) && (!n.exact || v == w) }) {
				return true
			}
		}
	}
	return len(q.apart) > 0 && !slices.ContainsFunc(q.apart, func(p quantity) bool { return !p.in(s) })
}

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
	powers  = []float64{1e3, 1e6, 1e9, 1e4, 1e8, 1e5, 1e7}
	halves  = map[rune]float64{'½': 0.5, '¼': 0.25, '¾': 0.75, '⅓': 1.0 / 3, '⅔': 2.0 / 3}
)

// quantities lists the numbers in a lower-case text. generous, which is for passages,
// also lists the parts and multiples of each, so that answers may write them otherwise.
func quantities(s string, generous bool) (all []quantity) {
	for _, m := range figures().FindAllStringIndex(s, -1) {
		for _, part := range numbersApart(s[m[0]:m[1]]) {
			q := readNumber(part)
			q.about = roughly().MatchString(s[max(0, m[0]-24):m[0]])
			after := s[m[1]:]
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
			all = append(all, q)
			if generous {
				for _, f := range strings.FieldsFunc(part, func(r rune) bool { return r < '0' || r > '9' }) {
					all = append(all, readNumber(f))
				}
			}
		}
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
