package citation

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"parley/internal/text"
	"parley/internal/text/times"
)

// Date is a date in a text. A part that the text does not tell is 0.
type Date struct{ Year, Month, Day int }

// Dates lists the dates in a text, in many languages and forms, each in all its possible
// readings.
func Dates(text string) []Date {
	found, _ := datesIn(strings.ToLower(ascii(text)))
	return slices.Concat(found...)
}

// day is a claimed date, in all its possible readings.
type day []Date

func (d day) in(s *said) bool {
	return slices.ContainsFunc(d, func(one Date) bool { return one.in(s) })
}

func (d Date) in(s *said) bool {
	return slices.ContainsFunc(s.dates, func(o Date) bool {
		return d.Month == o.Month && (d.Day == 0 || d.Day == o.Day) &&
			(d.Year == 0 || d.Year == o.Year || o.Year == 0 && quantity{values: []float64{float64(d.Year)}}.in(s))
	})
}

// clock is a time of day.
type clock struct {
	minute int  // of the day, as written
	bare   bool // a time before noon without am or pm: it may be one after noon
	pm     bool
	late   bool // beside a word for afternoon or evening
}

var lateWords = text.Pattern(`afternoon|evening|tonight|\bnight|nachmittag|abend|nachts|soir|après-midi|tarde|noche|вечер|дня|下午|晚上|午后|傍晚`)

// ways lists the minutes of the day that a time may mean.
func (c clock) ways() []int {
	if c.bare {
		return []int{c.minute, c.minute + 12*60}
	}
	return []int{c.minute}
}

func (c clock) in(s *said) bool {
	for _, t := range s.times {
		if t.minute == c.minute || c.bare && c.minute+12*60 == t.minute && (c.late || t.pm) ||
			t.bare && t.minute+12*60 == c.minute && (t.late || c.late && c.bare) {
			return true
		}
	}
	hour := c.minute / 60
	if c.minute%60 != 0 {
		return false
	}
	return ofClock(hour).in(s) ||
		hour > 12 && (c.pm || c.late || s.late) && s.late && ofClock(hour-12).in(s) ||
		c.bare && c.late && ofClock(hour+12).in(s)
}

// ofClock is an hour that may stand alone: "from 8 to 5".
func ofClock(hour int) quantity {
	return quantity{values: []float64{float64(hour)}, unit: unit{kind: "clock", size: 1}}
}

// dateForms are the ways to write a date. The first match at a place counts.
var dateForms = sync.OnceValue(func() []dateForm {
	names := strings.Join(slices.Sorted(maps.Keys(times.Months())), "|")
	const (
		begin = `(?:^|[^\pL\d.,])`
		day   = `(\d{1,2})(?:st|nd|rd|th|er|º|ª|°|\.)?`
		year  = `(\d{4})`
		end   = `(?:[^\pL\d]|$)`
	)
	month := `(` + names + `)\.?`
	of := `(?:\s+(?:of|de|del|di)\s+|\s*-\s*|\s+|\.\s?)`
	to := `(?:(?:\s*(?:-|–|,|/)\s*|\s+(?:and|to|or|und|bis|oder|et|au|y|al|e)\s+)` + day + `)*`
	form := func(order, pattern string) dateForm { return dateForm{order, regexp.MustCompile(pattern)} }
	return []dateForm{
		form("ymd", `(?:^|[^\d.,])`+year+`[-/.](\d{1,2})[-/.](\d{1,2})(?:t|[^\d]|$)`),
		form("dmy", `(?:^|[^\d.,])(\d{1,2})([./-])(\d{1,2})[./-](\d{4}|\d\d)(?:[^\d]|$)`),
		form("ymd", year+`\s?[年년]\s?(\d{1,2})\s?[月월]\s?(?:(\d{1,2})\s?[日일])?`),
		form("md", `(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]`),
		form("d*my", begin+`(`+day+to+`)`+of+month+`(?:`+of+`|,\s*)`+year+end),
		form("md*y", begin+month+`\s+(`+day+to+`),?\s+`+year+end),
		form("d*m", begin+`(`+day+to+`)`+of+month+end),
		form("md*", begin+month+`\s+(`+day+to+`)`+end),
		form("my", begin+month+`(?:\s+(?:of|de|del|di)\s+|,?\s+)`+year+end),
		form("ym", begin+year+`\s+`+month+end),
	}
})

// dateForm is a pattern and the order of its groups: year, month and day; d* for several
// days.
type dateForm struct {
	order   string
	pattern *regexp.Regexp
}

var (
	// english matches the words by which a text is known to be English, where the month
	// may stand first; otherWords those of languages where it does not.
	english    = text.Pattern(`\b(?:the|and|of|on|is|it|was|by|due|from|ends?|starts?|until)\b`)
	otherWords = text.Pattern(`\b(?:der|die|das|und|ist|am|wird|el|la|los|es|del|las|le|les|du|est|il|une|sera)\b|[а-яё]{2}|\p{Han}`)
)

var anyNumber = text.Pattern(`\d+`)

// datesIn lists the dates in a lower-case text, each in all its possible readings, and
// returns the text without them.
func datesIn(s string) (all [][]Date, rest string) {
	s = hanDate().ReplaceAllStringFunc(s, func(found string) string {
		m := hanDate().FindStringSubmatch(found)
		return strconv.Itoa(int(hanNumber(m[1]))) + m[2]
	})
	monthFirst := english().MatchString(s) || !otherWords().MatchString(s)
	for _, f := range dateForms() {
		var left strings.Builder
		for m := f.pattern.FindStringSubmatchIndex(s); m != nil; m = f.pattern.FindStringSubmatchIndex(s) {
			end := m[1]
			if _, last := utf8.DecodeLastRuneInString(s[:end]); end-last > m[0] && (s[end-1] < '0' || s[end-1] > '9') {
				end -= last // a separator may end one date and begin the next
			}
			found := f.read(s, m, monthFirst)
			all = append(all, found...)
			if left.WriteString(s[:m[0]]); len(found) > 0 {
				left.WriteByte(' ')
			} else {
				left.WriteString(s[m[0]:end])
			}
			s = s[end:]
		}
		s = left.String() + s
	}
	return all, s
}

// read returns the dates of a match, none if the numbers fit no date. monthFirst tells
// that 3/4/2030 may be in March.
func (f dateForm) read(s string, m []int, monthFirst bool) (all [][]Date) {
	group := func(n int) string {
		if 2*n+1 >= len(m) || m[2*n] < 0 {
			return ""
		}
		return s[m[2*n]:m[2*n+1]]
	}
	num := func(n int) int { v, _ := strconv.Atoi(group(n)); return v }
	many := func(n, month, year int) {
		for _, d := range anyNumber().FindAllString(group(n), -1) {
			v, _ := strconv.Atoi(d)
			all = append(all, []Date{{year, month, v}})
		}
	}
	switch f.order {
	case "ymd":
		all = append(all, []Date{{num(1), num(2), num(3)}})
	case "dmy":
		year := num(4)
		if year < 100 {
			year += 2000
		}
		ways := []Date{{year, num(3), num(1)}, {year, num(1), num(3)}}
		if group(2) == "." && num(3) <= 12 || group(2) != "." && num(3) <= 12 && !monthFirst {
			ways = ways[:1] // points, and most languages, put the day first
		}
		all = append(all, ways)
	case "md":
		all = append(all, []Date{{0, num(1), num(2)}})
	case "d*my":
		many(1, times.Months()[group(4)], num(5))
	case "md*y":
		many(2, times.Months()[group(1)], num(5))
	case "d*m":
		many(1, times.Months()[group(4)], 0)
	case "md*":
		many(2, times.Months()[group(1)], 0)
	case "my":
		all = append(all, []Date{{num(2), times.Months()[group(1)], 0}})
	case "ym":
		all = append(all, []Date{{num(1), times.Months()[group(2)], 0}})
	}
	for i, ways := range all {
		all[i] = slices.DeleteFunc(ways, func(d Date) bool { return d.Month < 1 || d.Month > 12 || d.Day > 31 })
	}
	return slices.DeleteFunc(all, func(ways []Date) bool { return len(ways) == 0 })
}

var (
	clockForm = text.Pattern(`(?:^|[^\d.,:])(\d{1,2})(?::|\s?h\s?)(\d{2})(?::\d{2})?\s*([ap]\.?m\b\.?)?`)
	hourForm  = text.Pattern(`(?:^|[^\d.,:])(\d{1,2})(?:\.(\d{2}))?\s*(?:([ap])\.?m\b\.?|uhr|o['’]clock|時|시)`)
)

// timesIn lists the times of day in a lower-case text, and returns the text without them.
func timesIn(s string) (all []clock, rest string) {
	s = hoursInFigures(s)
	for _, form := range []*regexp.Regexp{clockForm(), hourForm()} {
		var left strings.Builder
		last := 0
		for _, at := range form.FindAllStringSubmatchIndex(s, -1) {
			group := func(n int) string { return s[max(0, at[2*n]):max(0, at[2*n+1])] }
			hour, _ := strconv.Atoi(group(1))
			minute, _ := strconv.Atoi(group(2))
			if hour > 24 || minute > 59 {
				continue
			}
			half := group(3)
			c := clock{bare: half == "" && hour < 12, pm: strings.HasPrefix(half, "p")}
			c.late = lateWords().MatchString(s[max(0, at[0]-maxBeside):min(len(s), at[1]+maxBeside)])
			switch {
			case c.pm && hour < 12:
				hour += 12
			case strings.HasPrefix(half, "a") && hour == 12:
				hour = 0
			}
			c.minute = hour*60 + minute
			all = append(all, c)
			left.WriteString(s[last:at[0]] + " ")
			last = at[1]
		}
		s = left.String() + s[last:]
	}
	return all, s
}
