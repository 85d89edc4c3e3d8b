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

// date is a day, or what of it is told: 0 is not told.
type date struct{ year, month, day int }

// Date is a day that a text names, or its month alone; 0 is not told.
type Date struct{ Year, Month, Day int }

// Dates lists the dates that a text names, in many languages and forms, each in every
// way that it may be read.
func Dates(text string) (all []Date) {
	found, _ := datesIn(strings.ToLower(ascii(text)))
	for _, ways := range found {
		for _, d := range ways {
			all = append(all, Date{d.year, d.month, d.day})
		}
	}
	return all
}

// day is a date that a claim gives, in each way that it may be read.
type day []date

func (d day) in(s *said) bool {
	return slices.ContainsFunc(d, func(one date) bool { return one.in(s) })
}

func (d date) in(s *said) bool {
	return slices.ContainsFunc(s.dates, func(o date) bool {
		return (d.month == o.month || o.month == 0 && d.month == 0) && (d.day == 0 || d.day == o.day) &&
			(d.year == 0 || d.year == o.year || o.year == 0 && quantity{values: []float64{float64(d.year)}}.in(s))
	})
}

// clock is a time of day in minutes, in each way that it may be read.
type clock []int

func (c clock) in(s *said) bool {
	return slices.ContainsFunc(c, func(t int) bool {
		hour := float64(t / 60)
		return slices.Contains(s.times, t) || t%60 == 0 && quantity{values: []float64{hour}}.in(s)
	})
}

// dateForms are the ways to write a date, each with what its groups are. The
// first that fits a place is taken.
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
		form("dmy", `(?:^|[^\d.,])(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d\d)(?:[^\d]|$)`),
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

// dateForm is a pattern and what it holds: year, month and day, d* for days.
type dateForm struct {
	order   string
	pattern *regexp.Regexp
}

var anyNumber = text.Pattern(`\d+`)

// datesIn lists the dates of a lower-case text, each in the ways it may be read,
// and what is left without them.
func datesIn(s string) (all [][]date, rest string) {
	for _, f := range dateForms() {
		var left strings.Builder
		for m := f.pattern.FindStringSubmatchIndex(s); m != nil; m = f.pattern.FindStringSubmatchIndex(s) {
			end := m[1]
			if _, last := utf8.DecodeLastRuneInString(s[:end]); end-last > m[0] && (s[end-1] < '0' || s[end-1] > '9') {
				end -= last // what ends one may begin the next
			}
			found := f.read(s, m)
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

// read makes dates of what a form found; none when it cannot be one.
func (f dateForm) read(s string, m []int) (all [][]date) {
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
			all = append(all, []date{{year, month, v}})
		}
	}
	switch f.order {
	case "ymd":
		all = append(all, []date{{num(1), num(2), num(3)}})
	case "dmy":
		year := num(3)
		if year < 100 {
			year += 2000
		}
		all = append(all, []date{{year, num(2), num(1)}, {year, num(1), num(2)}})
	case "md":
		all = append(all, []date{{0, num(1), num(2)}})
	case "d*my":
		many(1, times.Months()[group(4)], num(5))
	case "md*y":
		many(2, times.Months()[group(1)], num(5))
	case "d*m":
		many(1, times.Months()[group(4)], 0)
	case "md*":
		many(2, times.Months()[group(1)], 0)
	case "my":
		all = append(all, []date{{num(2), times.Months()[group(1)], 0}})
	case "ym":
		all = append(all, []date{{num(1), times.Months()[group(2)], 0}})
	}
	for i, ways := range all {
		all[i] = slices.DeleteFunc(ways, func(d date) bool { return d.month < 1 || d.month > 12 || d.day > 31 })
	}
	return slices.DeleteFunc(all, func(ways []date) bool { return len(ways) == 0 })
}

var (
	clockForm = text.Pattern(`(?:^|[^\d.,:])(\d{1,2})[:h](\d{2})(?::\d{2})?\s*([ap]\.?m\b\.?)?`)
	hourForm  = text.Pattern(`(?:^|[^\d.,:])(\d{1,2})(?:\.(\d{2}))?\s*(?:([ap])\.?m\b\.?|uhr|o'clock|時|시)`)
)

// timesIn lists the times of day of a lower-case text, in minutes, each in the
// ways it may be read, and what is left without them.
func timesIn(s string) (all [][]int, rest string) {
	for _, form := range []*regexp.Regexp{clockForm(), hourForm()} {
		s = form.ReplaceAllStringFunc(s, func(found string) string {
			m := form.FindStringSubmatch(found)
			hour, _ := strconv.Atoi(m[1])
			minute, _ := strconv.Atoi(m[2])
			if hour > 24 || minute > 59 {
				return found
			}
			switch {
			case strings.HasPrefix(m[3], "p") && hour < 12:
				hour += 12
			case strings.HasPrefix(m[3], "a") && hour == 12:
				hour = 0
			}
			ways := []int{hour*60 + minute}
			if m[3] == "" && hour < 12 {
				ways = append(ways, ways[0]+12*60)
			}
			all = append(all, ways)
			return " "
		})
	}
	return all, s
}
