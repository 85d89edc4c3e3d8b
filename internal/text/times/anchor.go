package times

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	whole "parley/internal/text"
)

// rule is a rhythm that is counted from an anchor, as schedules store it:
//
//	@every 2h0m0s from 2026-03-04T14:20:00Z    hours and minutes that pass
//	@every 2d from 2026-03-04T09:00            on the wall clock: days (d), weeks (w),
//	@every 1mo on 31 from 2026-01-31T09:00     months (mo) and years (y), with the day of
//	@every 1mo on -1fri from 2026-01-30T17:00  the month, or which weekday of the month;
//	@every 1mo on 1work from 2026-01-30T17:00  of its days from Monday to Friday
type rule struct {
	length  time.Duration // of what passes; 0 otherwise
	from    time.Time     // its anchor
	n       int
	unit    string       // "d", "w", "mo" or "y"
	day     int          // of the month; a shorter month has its last one
	nth     int          // which weekday of the month, -1 is the last; 0 for none
	weekday time.Weekday // of nth
	work    bool         // nth is of the days from Monday to Friday
	wall    time.Time    // the anchor on the wall clock, written in UTC
}

const wallForm = "2006-01-02T15:04"

var shortDays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

func elapsed(length time.Duration, from time.Time) string {
	return "@every " + length.String() + " from " + from.UTC().Format(time.RFC3339)
}

// String returns the rule as it is stored.
func (u rule) String() string {
	if u.length > 0 {
		return elapsed(u.length, u.from)
	}
	on := ""
	switch {
	case u.work:
		on = fmt.Sprintf(" on %dwork", u.nth)
	case u.nth != 0:
		on = fmt.Sprintf(" on %d%s", u.nth, shortDays[u.weekday])
	case u.day != 0:
		on = fmt.Sprintf(" on %d", u.day)
	}
	return fmt.Sprintf("@every %d%s%s from %s", u.n, u.unit, on, u.wall.Format(wallForm))
}

var ruleForm = whole.Pattern(`^@every (?:(\d{1,4})(d|w|mo|y)(?: on (-1|\d{1,2})(sun|mon|tue|wed|thu|fri|sat|work)?)?|([\dhms.]+)) from (\S+)$`)

// readRule reads a stored rule.
func readRule(said string) (u rule, err error) {
	m := ruleForm().FindStringSubmatch(said)
	if m == nil {
		return u, errors.New("unreadable")
	}
	if m[5] != "" {
		if u.length, err = time.ParseDuration(m[5]); err == nil {
			u.from, err = time.Parse(time.RFC3339, m[6])
		}
		if u.length <= 0 {
			return u, errors.New("unreadable")
		}
		return u, err
	}
	u.unit = m[2]
	u.n, _ = strconv.Atoi(m[1]) // digits
	on, _ := strconv.Atoi(m[3])
	if u.day = on; m[4] != "" {
		u.day, u.nth, u.weekday, u.work = 0, on, time.Weekday(indexOf(shortDays, m[4])), m[4] == "work"
	}
	if u.wall, err = time.Parse(wallForm, m[6]); err == nil && (u.n < 1 || u.day < 0 || u.day > 31 || u.nth > 5 || m[4] != "" && u.nth == 0) {
		err = errors.New("unreadable")
	}
	return u, err
}

func indexOf(all []string, one string) int {
	for i, s := range all {
		if s == one {
			return i
		}
	}
	return 0
}

// next returns the first time of a rule after a moment; zero for never.
func (u rule) next(loc *time.Location, after time.Time) time.Time {
	if u.length > 0 {
		if after.Before(u.from) {
			return u.from
		}
		return u.from.Add((after.Sub(u.from)/u.length + 1) * u.length)
	}
	local := after.In(loc)
	for k, tries := max(0, u.before(local)), 0; tries < 100; k, tries = k+1, tries+1 {
		wall := u.times(k)
		if wall.IsZero() {
			continue
		}
		if t := moment(wall, loc); t.After(after) {
			return t
		}
	}
	return time.Time{}
}

// before returns at least how often the rule was due until shortly before a moment.
func (u rule) before(local time.Time) int {
	passed := int(local.Sub(u.wall).Hours()/24) - 2 // the zones differ by less
	switch u.unit {
	case "w":
		return passed / 7 / u.n
	case "mo":
		return passed/31/u.n - 1
	case "y":
		return passed/366/u.n - 1
	}
	return passed / u.n
}

// times returns the kth time on the wall clock; zero in a month without one.
func (u rule) times(k int) time.Time {
	switch u.unit {
	case "d":
		return u.wall.AddDate(0, 0, k*u.n)
	case "w":
		return u.wall.AddDate(0, 0, 7*k*u.n)
	}
	months := k * u.n
	if u.unit == "y" {
		months *= 12
	}
	month := u.wall.AddDate(0, 0, 1-u.wall.Day()).AddDate(0, months, 0)
	if u.nth != 0 {
		return u.nthOf(month)
	}
	day := u.day
	if day == 0 {
		day = u.wall.Day()
	}
	return month.AddDate(0, 0, min(day, daysIn(month))-1)
}

// nthOf returns the weekday of a rule in the month of t, at its time of day; zero if the
// month has no fifth one.
func (u rule) nthOf(t time.Time) time.Time {
	first := t.AddDate(0, 0, 1-t.Day())
	if u.work {
		return nthWorkday(first, u.nth)
	}
	day := 1 + (int(u.weekday)-int(first.Weekday())+7)%7 + 7*(u.nth-1)
	if u.nth < 0 {
		day = 1 + (int(u.weekday)-int(first.Weekday())+7)%7 + 28
		if day > daysIn(first) {
			day -= 7
		}
	}
	if day > daysIn(first) {
		return time.Time{}
	}
	return first.AddDate(0, 0, day-1)
}

// nthWorkday returns the nth of a month's days from Monday to Friday, from its end if n is
// negative.
func nthWorkday(first time.Time, n int) time.Time {
	day, step := first, 1
	if n < 0 {
		day, step, n = first.AddDate(0, 0, daysIn(first)-1), -1, -n
	}
	for ; ; day = day.AddDate(0, 0, step) {
		if day.Weekday() != time.Saturday && day.Weekday() != time.Sunday {
			if n--; n == 0 {
				return day
			}
		}
	}
}

// Anchored adds an anchor to a schedule that was stored without one: "@every 2h" counts
// from when it was due. It returns other schedules unchanged.
func Anchored(schedule, zone string, due time.Time) string {
	length, ok := strings.CutPrefix(schedule, "@every ")
	d, err := time.ParseDuration(length)
	if !ok || err != nil || d < time.Second {
		return schedule
	}
	loc, err := time.LoadLocation(zone)
	if day := 24 * time.Hour; err == nil && d%day == 0 && d/day < 10_000 {
		return rule{n: int(d / day), unit: "d", wall: wallOf(due.In(loc)).Truncate(time.Minute)}.String()
	}
	return elapsed(d, due.Truncate(time.Second))
}
