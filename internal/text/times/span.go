package times

import (
	_ "embed" // how spans are said
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed spans.txt
var spansText string

//go:embed units.txt
var unitsText string

// Span is a stretch of time that has begun: from From until before To, which are
// midnights where somebody is.
type Span struct {
	From, To time.Time
	// Month is a month of any year, when only that was said ("in May"): From and To
	// are then the latest one that has begun. 0 for none.
	Month time.Month
}

// Has reports whether a time is in the span.
func (s Span) Has(t time.Time) bool { return !t.Before(s.From) && t.Before(s.To) }

// FindSpan finds the stretch of time that a text asks about, in some fifteen
// languages: "last week", "im Mai", "il y a 3 jours", "上周", "in 2025". rest is the
// text without what said it, where that says nothing else: the name of a month
// stays, which may stand in what is looked for. Days such as "4 May" are none; see
// cite.Dates. ok is false without a span.
func FindSpan(text string, now time.Time) (s Span, rest string, ok bool) {
	low := strings.ToLower(strings.ReplaceAll(text, "’", "'"))
	if len(low) != len(text) { // a letter of another length: places differ
		text = low
	}
	for _, f := range sayings() {
		m := f.pattern.FindStringSubmatchIndex(low)
		if m == nil {
			continue
		}
		group := func(n int) string {
			if 2*n+1 >= len(m) || m[2*n] < 0 {
				return ""
			}
			return low[m[2*n]:m[2*n+1]]
		}
		if s, ok := f.read(group, now); ok {
			if !f.stays {
				text = text[:m[2]] + " " + text[m[3]:]
			}
			return s, strings.Join(strings.Fields(text), " "), true
		}
	}
	return Span{}, text, false
}

// saying is one way to say a span; its first group is what says it.
type saying struct {
	pattern *regexp.Regexp
	stays   bool
	read    func(group func(int) string, now time.Time) (Span, bool)
}

// few are numbers that people write as words here.
var few = map[string]int{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "couple of": 2, "few": 3,
	"einem": 1, "einer": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7,
	"deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "due": 2, "tre": 3,
	"quattro": 4, "dois": 2, "duas": 2, "três": 3,
	"一": 1, "两": 2, "兩": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7,
}

// sayings lists the ways, the more telling ones first.
var sayings = sync.OnceValue(func() (all []saying) {
	named := func(unit string, offset int) func(func(int) string, time.Time) (Span, bool) {
		return func(_ func(int) string, now time.Time) (Span, bool) { return spanOf(unit, offset, now), true }
	}
	var fixed []saying
	for line := range strings.Lines(spansText) {
		if f := strings.Fields(line); len(f) > 2 && f[0] != "#" {
			offset, _ := strconv.Atoi(f[1]) // ours
			fixed = append(fixed, saying{pattern: between(strings.Join(f[2:], " ")), read: named(f[0], offset)})
		}
	}
	number := `\d{1,3}`
	for w := range few {
		number += "|" + w
	}
	for line := range strings.Lines(unitsText) {
		f := strings.Fields(line)
		if len(f) < 2 || f[0] == "#" {
			continue
		}
		unit, names := f[0], strings.Join(f[1:], " ")
		all = append(all,
			saying{pattern: between(
				`(?:the )?(?:last|past|letzten|vergangenen|les derniers|últimos|últimas|ultimos|ultimas|ultimi|ultime|gli ultimi|afgelopen|senaste|последние|ostatnie|son|最近|过去|過去|지난) ?(` + number + `) ?(?:` + names + `)`), read: recent(unit)},
			saying{pattern: between(`les (` + number + `) derni(?:er|ère)s (?:` + names + `)`), read: recent(unit)},
			saying{pattern: between(`(?:vor|il y a|hace|há) (` + number + `|a) (?:` + names + `)`), read: ago(unit)},
			saying{pattern: between(`(?:a )?(` + number + `|a) ?(?:` + names + `) ?(?:ago|fa|atrás|geleden|sedan|назад|temu|önce|前|전)`),
				read: ago(unit)},
		)
	}
	all = append(all, fixed...)
	return append(all, monthForms()...)
})

// between makes a pattern match whole words only, except in scripts without spaces.
func between(said string) *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\pL\d]|\p{Han}|\p{Hiragana}|\p{Katakana}|\p{Hangul})((?:` + said +
		`))(?:$|[^\pL\d]|\p{Han}|\p{Hiragana}|\p{Katakana}|\p{Hangul})`)
}

func recent(unit string) func(func(int) string, time.Time) (Span, bool) {
	return func(group func(int) string, now time.Time) (Span, bool) {
		n := counted(group(2))
		today := midnight(now)
		from := map[string]time.Time{"day": today.AddDate(0, 0, 1-n), "week": today.AddDate(0, 0, 1-7*n),
			"month": today.AddDate(0, -n, 1), "year": today.AddDate(-n, 0, 1)}[unit]
		return Span{From: from, To: today.AddDate(0, 0, 1)}, n > 0
	}
}

func ago(unit string) func(func(int) string, time.Time) (Span, bool) {
	return func(group func(int) string, now time.Time) (Span, bool) {
		n := counted(group(2))
		return spanOf(unit, -n, now), n > 0
	}
}

func counted(s string) int {
	if n, ok := few[s]; ok {
		return n
	}
	if s == "a" {
		return 1
	}
	n, _ := strconv.Atoi(s) // three digits
	return n
}

func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// spanOf returns a whole day, week, month or year.
func spanOf(unit string, offset int, now time.Time) Span {
	today := midnight(now)
	switch unit {
	case "week":
		from := today.AddDate(0, 0, 7*offset-(int(today.Weekday())+6)%7)
		return Span{From: from, To: from.AddDate(0, 0, 7)}
	case "month":
		from := today.AddDate(0, 0, 1-today.Day()).AddDate(0, offset, 0)
		return Span{From: from, To: from.AddDate(0, 1, 0)}
	case "year":
		from := time.Date(today.Year()+offset, 1, 1, 0, 0, 0, 0, today.Location())
		return Span{From: from, To: from.AddDate(1, 0, 0)}
	}
	from := today.AddDate(0, 0, offset)
	return Span{From: from, To: from.AddDate(0, 0, 1)}
}
