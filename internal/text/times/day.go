package times

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

// wordsNextDay is said in more than one place.
const wordsNextDay = "(I took it as %s; name the date if you mean another.)"

// days returns the day that was named, and how to find the next such day if it is past;
// nil if there is only one.
func (r *resolver) days() (day time.Time, then func(time.Time) time.Time, err error) {
	today := dayOf(r.now)
	if r.shift != nil {
		day, err = r.shifted(today)
		return day, nil, err
	}
	p := r.day
	n, _ := strconv.Atoi(p.arg(0)) // TestTongues
	switch p.kind {
	case "day":
		return today.AddDate(0, 0, n), nil, nil
	case "weekend":
		if n > 0 {
			r.note(wordsNextDay, saturday(today).AddDate(0, 0, 7*n))
		}
		return saturday(today).AddDate(0, 0, 7*n), nil, nil
	case "weekday", "next-weekday":
		ahead := (int(p.days[0])-int(today.Weekday())+7)%7 + 7*n
		if len(p.spans) == 1 { // "3 Fridays from now"
			if n = int(p.spans[0].n); n < 1 || n > 100 || float64(n) != p.spans[0].n {
				return day, nil, errUnclear
			}
			ahead = (ahead+6)%7 + 1 + 7*(n-1)
		}
		if n > 0 {
			r.note(wordsNextDay, today.AddDate(0, 0, ahead))
		}
		if ahead == 0 && p.kind == "next-weekday" {
			ahead = 7
		}
		return today.AddDate(0, 0, ahead), func(t time.Time) time.Time { return t.AddDate(0, 0, 7) }, nil
	case "monthday":
		if p.arg(0) == "in" { // the 20th of this month
			month := addMonths(today.AddDate(0, 0, 1-today.Day()), p.number(1))
			if p.arg(2) == "last" {
				return month.AddDate(0, 0, daysIn(month)-1), nil, nil
			}
			day = onDay(month.Year(), month.Month(), p.date.day)
			return day, nil, none(day.IsZero())
		}
		if p.arg(0) == "last" {
			return onDay(today.Year(), today.Month(), daysIn(today)), nextLast, nil
		}
		if p.nth != 0 {
			return day, nil, errUnclear // of which month?
		}
		if len(p.days) > 0 {
			return r.dayAndDate(today, p)
		}
		day = firstWith(today, p.day, today.Day() > p.day)
		return day, func(t time.Time) time.Time { return firstWith(t, p.day, true) }, nil
	}
	return r.dated(p)
}

// dayAndDate returns the first date with a weekday and a day of the month: "Monday the
// 13th". Without a time of day, "Monday 13" can be an hour.
func (r *resolver) dayAndDate(today time.Time, p *piece) (time.Time, func(time.Time) time.Time, error) {
	if p.arg(0) == "hour" && p.day <= 24 && len(r.clocks) == 0 {
		return today, nil, errUnclear
	}
	for n := range 366 {
		if t := today.AddDate(0, 0, n); t.Day() == p.day && t.Weekday() == p.days[0] {
			r.note(wordsNextDay, t)
			return t, nil, nil
		}
	}
	return today, nil, errUnclear
}

// saturday returns that of this week; on a Sunday, today.
func saturday(today time.Time) time.Time {
	if today.Weekday() == time.Sunday {
		return today
	}
	return today.AddDate(0, 0, int(time.Saturday-today.Weekday()))
}

func nextLast(t time.Time) time.Time {
	next := time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	return next.AddDate(0, 0, daysIn(next)-1)
}

// firstWith returns the first date with this day, from the month of t on or the next one.
func firstWith(t time.Time, day int, next bool) time.Time {
	month := time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
	if next {
		month = month.AddDate(0, 1, 0)
	}
	for daysIn(month) < day {
		month = month.AddDate(0, 1, 0)
	}
	return month.AddDate(0, 0, day-1)
}

// dated returns a date, in the year that was named or the first that has it.
func (r *resolver) dated(p *piece) (time.Time, func(time.Time) time.Time, error) {
	p = p.feast()
	from := p.movable()
	switch {
	case p.arg(0) == "hour":
		return time.Time{}, nil, errDayOrHour
	case p.arg(0) == "first" && p.year == 0 && p.month == int(r.now.Month()):
		return time.Time{}, nil, errUnclear // on which of the days that are left?
	case p.arg(0) == "either" && p.date.day <= 12 && p.date.day != p.month:
		if p = p.onItsWeekday(r.now); p == nil {
			return time.Time{}, nil, errEither // 3/12 is two dates
		}
		r.named = true
	case p.arg(0) == "first":
		p.date.day = 1
	}
	if from == nil {
		from = yearly(0, func(year int) time.Time { return onDay(year, time.Month(p.month), p.date.day) })
	}
	year := r.now.Year()
	if p.year > 0 {
		year = p.year
	}
	t := from(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC))
	r.named = r.named || slices.Contains([]string{"first", "hebrew", "islamic", "hindu"}, p.arg(0))
	if p.year > 0 {
		return t, nil, none(t.Year() != year || !p.falls(t))
	}
	return t, func(t time.Time) time.Time { return from(t.AddDate(0, 0, 1)) }, none(t.IsZero())
}

// onItsWeekday returns which of the two dates that digits such as 3/12 can be lies ahead and
// falls on the weekday that was named with it; nil where none or both do.
func (p *piece) onItsWeekday(now time.Time) (found *piece) {
	for _, order := range []date{{p.date.day, p.month, p.year}, {p.month, p.date.day, p.year}} {
		year := order.year
		if year == 0 {
			if year = now.Year(); onDay(year, time.Month(order.month), order.day).Before(dayOf(now)) {
				year++
			}
		}
		if t := onDay(year, time.Month(order.month), order.day); t.IsZero() || t.Before(dayOf(now)) || !p.falls(t) {
			continue
		}
		if found != nil {
			return nil
		}
		one := *p
		one.date, one.args = order, nil
		found = &one
	}
	return found
}

// shifted returns next week, next month or next year, or a day in it.
func (r *resolver) shifted(today time.Time) (time.Time, error) {
	n, _ := strconv.Atoi(r.shift.arg(0)) // TestTongues
	p := r.day
	if p == nil {
		if r.shift.arg(1) == "day" { // Chinese says "next" without "week", before a day
			return today, errUnclear
		}
		switch r.shift.kind {
		case "week":
			return today.AddDate(0, 0, 7*n), none(n == 0)
		case "month":
			return addMonths(today, n), none(n == 0)
		}
		return addMonths(today, 12*n), none(n == 0)
	}
	switch r.shift.kind + " " + p.kind {
	case "week weekday", "week next-weekday":
		return today.AddDate(0, 0, 7*n-sinceMonday(today.Weekday())+sinceMonday(p.days[0])), nil
	case "month monthday":
		month := addMonths(today.AddDate(0, 0, 1-today.Day()), n)
		if p.nth != 0 {
			t := nthWeekday(month.Year(), month.Month(), p.nth, p.days[0])
			return t, none(t.IsZero())
		}
		if len(p.days) > 0 {
			return today, errUnclear
		}
		if p.arg(0) == "last" {
			return month.AddDate(0, 0, daysIn(month)-1), nil
		}
		t := onDay(month.Year(), month.Month(), p.date.day)
		return t, none(t.IsZero())
	case "year date":
		in := *p
		in.year = today.Year() + n
		t, _, err := r.dated(&in)
		return t, cmp.Or(err, none(p.year > 0))
	}
	return today, errUnclear
}

// none returns errUnclear for nothing.
func none(nothing bool) error {
	if nothing {
		return errUnclear
	}
	return nil
}

// feast fills in the date of a day that has a name: "date 25 12" is Christmas.
func (p *piece) feast() *piece {
	day, err := strconv.Atoi(p.arg(0))
	if month, wrong := strconv.Atoi(p.arg(1)); err == nil && wrong == nil && p.month == 0 {
		named := *p
		named.date = date{day: day, month: month, year: p.year}
		return &named
	}
	return p
}

// falls reports whether a date falls on the weekday that was named with it.
func (p *piece) falls(t time.Time) bool { return len(p.days) == 0 || p.days[0] == t.Weekday() }
