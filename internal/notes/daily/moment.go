package daily

import (
	"fmt"
	"strings"
	"time"
)

// tokens are those of moment.js, the longest first where one begins like another.
var tokens = []struct {
	token string
	write func(time.Time) string
}{
	{"YYYY", func(t time.Time) string { return t.Format("2006") }},
	{"YY", func(t time.Time) string { return t.Format("06") }},
	{"Y", func(t time.Time) string { return t.Format("2006") }},
	{"GGGG", func(t time.Time) string { y, _ := t.ISOWeek(); return fmt.Sprintf("%04d", y) }},
	{"gggg", func(t time.Time) string { y, _ := t.ISOWeek(); return fmt.Sprintf("%04d", y) }},
	{"Qo", func(t time.Time) string { return ordinal((int(t.Month()) + 2) / 3) }},
	{"Q", func(t time.Time) string { return fmt.Sprint((int(t.Month()) + 2) / 3) }},
	{"MMMM", func(t time.Time) string { return t.Format("January") }},
	{"MMM", func(t time.Time) string { return t.Format("Jan") }},
	{"MM", func(t time.Time) string { return t.Format("01") }},
	{"Mo", func(t time.Time) string { return ordinal(int(t.Month())) }},
	{"M", func(t time.Time) string { return t.Format("1") }},
	{"DDDD", func(t time.Time) string { return t.Format("002") }},
	{"DDD", func(t time.Time) string { return fmt.Sprint(t.YearDay()) }},
	{"DD", func(t time.Time) string { return t.Format("02") }},
	{"Do", func(t time.Time) string { return ordinal(t.Day()) }},
	{"D", func(t time.Time) string { return t.Format("2") }},
	{"dddd", func(t time.Time) string { return t.Format("Monday") }},
	{"ddd", func(t time.Time) string { return t.Format("Mon") }},
	{"dd", func(t time.Time) string { return t.Format("Mon")[:2] }},
	{"d", func(t time.Time) string { return fmt.Sprint(int(t.Weekday())) }},
	{"E", func(t time.Time) string { return fmt.Sprint((int(t.Weekday())+6)%7 + 1) }},
	{"WW", func(t time.Time) string { _, w := t.ISOWeek(); return fmt.Sprintf("%02d", w) }},
	{"W", func(t time.Time) string { _, w := t.ISOWeek(); return fmt.Sprint(w) }},
	{"ww", func(t time.Time) string { _, w := t.ISOWeek(); return fmt.Sprintf("%02d", w) }},
	{"w", func(t time.Time) string { _, w := t.ISOWeek(); return fmt.Sprint(w) }},
	{"HH", func(t time.Time) string { return t.Format("15") }},
	{"H", func(t time.Time) string { return fmt.Sprint(t.Hour()) }},
	{"hh", func(t time.Time) string { return t.Format("03") }},
	{"h", func(t time.Time) string { return t.Format("3") }},
	{"mm", func(t time.Time) string { return t.Format("04") }},
	{"ss", func(t time.Time) string { return t.Format("05") }},
	{"A", func(t time.Time) string { return t.Format("PM") }},
	{"a", func(t time.Time) string { return t.Format("pm") }},
	{"X", func(t time.Time) string { return fmt.Sprint(t.Unix()) }},
}

// Format writes a time as moment.js does in English; what stands in brackets is as it
// is. Weeks are those of ISO 8601.
func Format(t time.Time, format string) string {
	var b strings.Builder
next:
	for format != "" {
		if format[0] == '[' {
			if end := strings.IndexByte(format, ']'); end > 0 {
				b.WriteString(format[1:end])
				format = format[end+1:]
				continue
			}
		}
		for _, k := range tokens {
			if rest, ok := strings.CutPrefix(format, k.token); ok {
				b.WriteString(k.write(t))
				format = rest
				continue next
			}
		}
		b.WriteByte(format[0])
		format = format[1:]
	}
	return b.String()
}

func ordinal(n int) string {
	end := "th"
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			end = "st"
		case 2:
			end = "nd"
		case 3:
			end = "rd"
		}
	}
	return fmt.Sprint(n) + end
}
