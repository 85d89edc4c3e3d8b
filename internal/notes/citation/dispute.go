package citation

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"parley/internal/text"
	"parley/internal/text/ranking"
	"parley/internal/text/times"
)

// Passage is a passage of a document. Document is its path; a page has an address, too.
type Passage struct {
	Document, Title, Heading, Text string
	Dated                          bool // the document has a date: another day may differ
	URL                            string
}

// whole returns what an answer may rest on; "" if the words are unknown.
func (p Passage) whole() string {
	if strings.TrimSpace(p.Text) == "" {
		return ""
	}
	return strings.TrimSpace(p.Title + "\n" + p.Document + "\n" + p.Text)
}

// Dispute is a pair of statements in different documents about the same thing, with
// different times, days, numbers or amounts.
type Dispute struct {
	A, B         int    // indexes of the passages; A is the smaller
	SaidA, SaidB string // the statements, on one line
	a, b         *statement
}

// Bounds of what is compared.
const (
	maxStatements = 200 // of all passages together
	maxStatement  = 200 // characters that are shown
	maxDisputes   = 3
)

// Disputes finds statements that contradict each other. It is careful: the words of one
// must include those of the other, both must hold on the same days, and both must have
// the same words of the question. question may be "".
func Disputes(question string, list []Passage) (all []Dispute) {
	asked := ranking.Stems(ranking.Telling(question))
	var said []*statement
	for i, p := range list {
		for _, s := range statements(p) {
			if s.passage = i; len(said) < maxStatements {
				said = append(said, s)
			}
		}
	}
	said = fitting(said, asked)
	seen := map[[2]string]bool{}
	for i, a := range said {
		for _, b := range said[i+1:] {
			pair := [2]string{list[a.passage].Document, list[b.passage].Document}
			if pair[0] == pair[1] || list[a.passage].Dated && list[b.passage].Dated || seen[pair] || len(all) == maxDisputes ||
				a.holds != b.holds || !a.differs(b) || !a.alike(b, asked) {
				continue
			}
			seen[pair] = true
			all = append(all, Dispute{A: a.passage, B: b.passage, SaidA: a.shown, SaidB: b.shown, a: a, b: b})
		}
	}
	return all
}

// fitting keeps the statements with the most words of the question.
func fitting(said []*statement, asked map[string]bool) []*statement {
	has := func(s *statement) (n int) {
		for w := range asked {
			if s.context[w] {
				n++
			}
		}
		return n
	}
	most := 0
	for _, s := range said {
		most = max(most, has(s))
	}
	return slices.DeleteFunc(said, func(s *statement) bool { return has(s) < most })
}

// Told reports whether an answer mentions both sides.
func (d Dispute) Told(answer string) bool {
	s := heard(answer)
	for _, side := range []*statement{d.a, d.b} {
		if !vouched(side.claims, []*said{s}) {
			return false
		}
	}
	return true
}

// statement is a sentence or line that gives one value for something.
type statement struct {
	passage int
	shown   string
	about   map[string]bool // stems of its words, without the value
	context map[string]bool // about, with title and heading
	holds   string          // the days and seasons it names, sorted; "" means always
	claims  []claim
	value   given
}

// given is the value of a statement.
type given struct {
	kind  string // "time", "day", "code", or "number"
	unit  string // of a number
	times [][]int
	days  [][]Date
	nums  []quantity
	code  string
}

// statements lists the statements of a passage.
func statements(p Passage) (all []*statement) {
	code := false
	for line := range strings.SplitSeq(p.Text, "\n") {
		if mark := strings.TrimSpace(line); strings.HasPrefix(mark, "```") || strings.HasPrefix(mark, "~~~") {
			code = !code
			continue
		}
		if code {
			continue
		}
		line = strings.TrimSpace(line[len(listMark().FindString(line)):])
		for _, sentence := range parted(line) {
			if s := newStatement(sentence, p); s != nil {
				all = append(all, s)
			}
		}
	}
	return all
}

var (
	// limits matches words that restrict when something holds. A statement with one
	// cannot contradict others.
	limits = text.Pattern(`\b(?:except|until|till|since|formerly|previously|used to|before|after|early|late|instead of|außer|bis|seit|früher|ehemals|statt|vor|nach|sauf|jusqu|depuis|avant|salvo|hasta|desde|antes)\b`)
	// occasions matches days and seasons. Two statements are about the same thing only
	// if they name the same ones.
	occasions = text.Pattern(
		`\b(?:(weekend|holiday|summer|winter|spring|autumn|monday|tuesday|wednesday|thursday|friday|saturday|sunday|sommer|winter|feiertag|wochenende|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|été|hiver|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|verano|invierno|sábado|domingo)s?|mon|tue|wed|thu|fri|sat|sun|lunes|martes|miércoles|jueves|viernes)\b|周[一二三四五六日]|星期.?|.曜日|.요일`)
	unitForm = text.Pattern(`^\s?([€$£¥%°]|\pL+)`)
	coinForm = text.Pattern(`([€$£¥])\s?$`)
	// coins maps signs and codes of currencies to their names.
	coins = map[string]string{"€": "euro", "$": "dollar", "£": "pound", "¥": "yen", "eur": "euro", "usd": "dollar", "gbp": "pound"}
)

// idle are stems of words that distinguish nothing.
var idle = ranking.Stems(
	"now new current currently always usually daily normally generally hour hours time times day about only again also " +
		"jetzt neu neue aktuell immer meistens täglich normalerweise uhr zeit öffnungszeiten maintenant toujours heure " +
		"heures ahora siempre hora horas")

// newStatement reads a sentence; nil if it gives no value, or several.
func newStatement(sentence string, p Passage) *statement {
	if !strings.ContainsFunc(sentence, unicode.IsDigit) {
		return nil
	}
	_, rest := unquoted(sentence)
	plain := strings.ToLower(ascii(rest))
	if plain == "" || limits().MatchString(plain) || numberOf().MatchString(plain) {
		return nil
	}
	s := &statement{shown: text.Clip(strings.Join(strings.Fields(sentence), " "), maxStatement)}
	if s.value = valueIn(plain); s.value.kind == "" {
		return nil
	}
	s.holds = occasion(plain)
	s.claims = claimsIn(sentence)
	words := digitWord().ReplaceAllString(sentence, " ")
	s.about = ranking.Stems(ranking.Telling(words))
	delete(s.about, ranking.Stem(s.value.unit))
	for m := range times.Months() {
		if s.value.kind == "day" {
			delete(s.about, ranking.Stem(m))
		}
	}
	telling := 0
	for w := range s.about {
		if !idle[w] {
			telling++
		}
	}
	if telling < 2 { // a label: its subject is the title
		maps.Copy(s.about, ranking.Stems(ranking.Telling(p.Title)))
	}
	s.context = ranking.Stems(ranking.Telling(p.Title + " " + p.Heading))
	maps.Copy(s.context, s.about)
	return s
}

// occasion lists the days and seasons in a text, sorted, without plural endings.
func occasion(text string) string {
	var list []string
	for _, m := range occasions().FindAllStringSubmatch(text, -1) {
		list = append(list, cmp.Or(m[1], m[0]))
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), " ")
}

// numberOf matches what looks like a time but is a document number, a verse or a ratio.
var numberOf = text.Pattern(`\d[-/.]\d+:\d|\d:\d{3}|\d+:\d+[-/]\d+(?:[^:\d]|$)`)

// digitWord matches a number with its signs and units.
var digitWord = text.Pattern(`[€$£¥]?\d[\d.,:'’/–-]*(?:[hH]\d*|[aApP]\.?[mM]\.?|%|°)?`)

// valueIn returns the value in a lower-case sentence; its kind is "" if there is none, or
// several.
func valueIn(plain string) (v given) {
	for _, run := range longRun().FindAllString(plain, -1) {
		if d := digitsOf(run); len(d) >= 7 && !datelike().MatchString(run) {
			return given{kind: "code", code: d}
		}
	}
	days, rest := datesIn(plain)
	times, rest := timesIn(rest)
	switch {
	case len(times) > 0 && len(times) <= 2 && len(days) == 0:
		v.kind = "time"
		for _, t := range times {
			v.times = append(v.times, t.ways())
		}
		return v
	case len(days) == 1 && len(times) == 0 && days[0][0].Day > 0:
		return given{kind: "day", days: days}
	case len(days)+len(times) > 0:
		return v
	}
	for _, m := range figures().FindAllStringIndex(rest, -1) {
		unit := ""
		if u := coinForm().FindStringSubmatch(rest[:m[0]]); u != nil {
			unit = u[1]
		} else if u := unitForm().FindStringSubmatch(rest[m[1]:]); u != nil {
			unit = u[1]
		}
		if coin, ok := coins[unit]; ok {
			unit = coin
		}
		if unit = strings.TrimSuffix(unit, "s"); unit == "" && strings.HasSuffix(strings.TrimSpace(rest[:m[0]]), ":") {
			unit = "number"
		}
		if ranking.Telling(unit) == "" || v.kind != "" { // one that counts nothing, or a second one
			return given{}
		}
		v = given{kind: "number", unit: unit, nums: []quantity{readNumber(strings.TrimSpace(rest[m[0]:m[1]]))}}
	}
	return v
}

// differs reports whether the values of two statements cannot be the same.
func (s *statement) differs(o *statement) bool {
	a, b := s.value, o.value
	if a.kind != b.kind || a.unit != b.unit || len(a.times) != len(b.times) {
		return false
	}
	switch a.kind {
	case "time":
		for i := range a.times {
			if !slices.ContainsFunc(a.times[i], func(t int) bool { return slices.Contains(b.times[i], t) }) {
				return true
			}
		}
		return false
	case "day":
		return !slices.ContainsFunc(a.days[0], func(d Date) bool { return slices.ContainsFunc(b.days[0], d.maybe) })
	case "code":
		return !strings.HasSuffix(a.code, last(b.code)) && !strings.HasSuffix(b.code, last(a.code))
	}
	return !slices.ContainsFunc(a.nums[0].values, func(v float64) bool {
		return slices.ContainsFunc(b.nums[0].values, func(w float64) bool { return a.nums[0].same(v, w) })
	})
}

// last returns the end of a telephone number, without country and area codes.
func last(code string) string { return code[len(code)-6:] }

// maybe reports whether two dates may be the same day.
func (d Date) maybe(o Date) bool {
	return d.Month == o.Month && d.Day == o.Day && (d.Year == o.Year || d.Year == 0 || o.Year == 0)
}

// alike reports whether two statements are about the same thing.
func (s *statement) alike(o *statement, asked map[string]bool) bool {
	for w := range asked {
		if s.context[w] != o.context[w] {
			return false
		}
	}
	shared, mine, others := 0, 0, 0
	for w := range s.about {
		switch {
		case o.about[w]:
			shared++
		case !idle[w]:
			mine++
		}
	}
	for w := range o.about {
		if !s.about[w] && !idle[w] {
			others++
		}
	}
	return shared >= 2 && (mine == 0 || others == 0) // what each has alone would tell them apart
}
