package times

import (
	"strconv"
	"strings"
	"time"

	"parley/internal/text/catalog"
)

// Said in more than one place.
const (
	wordsYearly = "every year on %s at %s"
	layoutDate  = "2 January"
)

// Note is something that people should know about how their words were taken. Days
// among its arguments are written out.
type Note struct {
	words string
	args  []any
}

// In returns the note in somebody's language.
func (n Note) In(p catalog.Printer) string {
	args := make([]any, len(n.args))
	for i, a := range n.args {
		args[i] = a
		if day, ok := a.(time.Time); ok {
			args[i] = p.Time(day, "Monday, 2 January")
		}
	}
	return p.Say(n.words, args...)
}

// Rhythm says a schedule in words: "every Monday and Thursday at 10:00". One that an
// owner wrote for cron and that has no simple words is shown as it is.
func Rhythm(schedule string, p catalog.Printer) string {
	if u, err := readRule(schedule); err == nil {
		return u.words(p)
	}
	if u, err := readRule(schedule + " from 2000-01-01T00:00:00Z"); err == nil && u.length > 0 { // of older rows
		return u.words(p)
	}
	if f := strings.Fields(schedule); len(f) == 5 {
		if words := cronWords(f, p); words != "" {
			return words
		}
	}
	return p.Say("by the cron expression %s", schedule)
}

func (u rule) words(p catalog.Printer) string {
	at := u.wall.Format("15:04")
	switch {
	case u.length == time.Hour:
		return p.Say("every hour")
	case u.length > 0:
		return p.Say("every %s", lengthWords(u.length, p))
	case u.unit == "d":
		return p.Say("every %s at %s", p.Many(u.n, "day"), at)
	case u.unit == "w":
		return p.Say("every %s on %s at %s", p.Many(u.n, "week"), p.Text(u.wall.Weekday().String()), at)
	case u.unit == "mo":
		return u.monthWords(p, at)
	case u.n == 1:
		return p.Say(wordsYearly, p.Time(u.anniversary(), layoutDate), at)
	}
	return p.Say("every %s, on %s, at %s", p.Many(u.n, "year"), p.Time(u.anniversary(), layoutDate), at)
}

func (u rule) monthWords(p catalog.Printer, at string) string {
	months := p.Many(u.n, "month")
	day, which := p.Text(u.weekday.String()), ""
	if u.work {
		day = p.Text("working day")
	}
	if nth := []string{"last", "", "first", "second", "third", "fourth", "fifth"}; u.nth != 0 {
		which = p.Text(nth[u.nth+1])
	}
	switch {
	case u.nth != 0 && u.n == 1:
		return p.Say("every month on the %s %s at %s", which, day, at)
	case u.nth != 0:
		return p.Say("every %s on the %s %s at %s", months, which, day, at)
	case u.day == 31 && u.n == 1:
		return p.Say("every month on the last day at %s", at)
	case u.day == 31:
		return p.Say("every %s on the last day at %s", months, at)
	case u.n == 1:
		return p.Say("every month on day %d, or on its last day, at %s", max(u.day, u.wall.Day()), at)
	}
	return p.Say("every %s on day %d at %s", months, max(u.day, u.wall.Day()), at)
}

// anniversary is a day with the date of a yearly rule, in a leap year.
func (u rule) anniversary() time.Time {
	day := u.wall.Day()
	if u.day != 0 {
		day = u.day
	}
	return time.Date(2024, u.wall.Month(), day, 0, 0, 0, 0, time.UTC)
}

func lengthWords(d time.Duration, p catalog.Printer) string {
	switch day := 24 * time.Hour; {
	case d%(7*day) == 0:
		return p.Many(int(d/day)/7, "week")
	case d%day == 0:
		return p.Many(int(d/day), "day")
	case d%time.Hour == 0:
		return p.Many(int(d/time.Hour), "hour")
	case d%time.Minute == 0:
		return p.Many(int(d/time.Minute), "minute")
	}
	return p.Many(int(d/time.Second), "second")
}

// cronWords says what five fields mean, "" when that is not simple.
func cronWords(f []string, p catalog.Printer) string {
	minute, err := strconv.Atoi(f[0])
	if err != nil || minute > 59 {
		return ""
	}
	var at []string
	for h := range strings.SplitSeq(f[1], ",") {
		hour, err := strconv.Atoi(h)
		if err != nil || hour > 23 {
			return ""
		}
		at = append(at, clockText(ofDay{hour: hour, minute: minute}))
	}
	clock := Listed(at, p)
	day, month, week := f[2], f[3], strings.ToLower(f[4])
	n, dayErr := strconv.Atoi(day)
	m, monthErr := strconv.Atoi(month)
	switch {
	case day == "*" && month == "*" && week == "*":
		return p.Say("every day at %s", clock)
	case day == "*" && month == "*" && (week == "1-5" || week == "mon-fri"):
		return p.Say("Monday to Friday at %s", clock)
	case day == "*" && month == "*":
		if on := weekdayWords(week, p); on != "" {
			return p.Say("every week on %s at %s", on, clock)
		}
	case dayErr == nil && n >= 1 && n <= 28 && month == "*" && week == "*":
		return p.Say("every month on day %d at %s", n, clock)
	case dayErr == nil && monthErr == nil && week == "*" && m >= 1 && m <= 12 && !onDay(2024, time.Month(m), n).IsZero() &&
		(m != 2 || n != 29):
		return p.Say(wordsYearly, p.Time(time.Date(2024, time.Month(m), n, 0, 0, 0, 0, time.UTC), layoutDate), clock)
	}
	return ""
}

// weekdayWords names the days of a list of numbers or short names.
func weekdayWords(week string, p catalog.Printer) string {
	var names []string
	for one := range strings.SplitSeq(week, ",") {
		n, err := strconv.Atoi(one)
		if err != nil {
			if n = indexOf(shortDays, one); shortDays[n] != one {
				return ""
			}
		}
		if n < 0 || n > 7 {
			return ""
		}
		names = append(names, p.Text(time.Weekday(n%7).String()))
	}
	return Listed(names, p)
}

// Listed joins what is said of several: "a, b and c".
func Listed(all []string, p catalog.Printer) string {
	last := len(all) - 1
	if last < 1 {
		return strings.Join(all, "")
	}
	return p.Say("%s and %s", strings.Join(all[:last], ", "), all[last])
}
