package times

import (
	"strconv"
	"time"
)

// movable returns how to find a day that has another date each year, zero where a year has
// none; nil for any other piece: the last Monday of March, the last day of a month, a feast
// that follows Easter.
func (p *piece) movable() func(year int) time.Time {
	days, _ := strconv.Atoi(p.arg(1)) // TestTongues
	switch p.arg(0) {
	case "nth":
		return func(year int) time.Time { return nthWeekday(year, time.Month(p.month), p.nth, p.days[0]) }
	case "last":
		return func(year int) time.Time { return time.Date(year, time.Month(p.month)+1, 0, 0, 0, 0, 0, time.UTC) }
	case "easter":
		return func(year int) time.Time { return easter(year).AddDate(0, 0, days) }
	case "pascha":
		return func(year int) time.Time { return pascha(year).AddDate(0, 0, days) }
	case "thanksgiving":
		return func(year int) time.Time { return nthWeekday(year, time.November, 4, time.Thursday).AddDate(0, 0, days) }
	}
	return nil
}

// nthWeekday returns the first to fifth weekday of a month, or its last (-1); zero if there
// is none.
func nthWeekday(year int, month time.Month, nth int, day time.Weekday) time.Time {
	if nth < 0 {
		last := time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC)
		return last.AddDate(0, 0, -(int(last.Weekday())-int(day)+7)%7)
	}
	first := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	t := first.AddDate(0, 0, (int(day)-int(first.Weekday())+7)%7+7*(nth-1))
	if t.Month() != month {
		return time.Time{}
	}
	return t
}

// easter returns Easter Sunday, by the anonymous Gregorian computus (Meeus 1991).
func easter(year int) time.Time {
	a, b, c := year%19, year/100, year%100
	h := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	l := (32 + 2*(b%4) + 2*(c/4) - h - c%4) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return time.Date(year, time.Month(n/31), n%31+1, 0, 0, 0, 0, time.UTC)
}

// pascha returns the Sunday of the Orthodox churches, whose Julian date is 13 days off
// until 2099 (Meeus 1991).
func pascha(year int) time.Time {
	d := (19*(year%19) + 15) % 30
	e := (2*(year%4) + 4*(year%7) - d + 34) % 7
	n := d + e + 114
	return time.Date(year, time.Month(n/31), n%31+1+13, 0, 0, 0, 0, time.UTC)
}

// weeks returns how many whole weeks lie between a weekday and the one that is meant
// ("Mittwoch in zwei Wochen"); 0 where the language does not say it so.
func (p *piece) weeks() int {
	if p.arg(1) != "weekday" {
		return 0
	}
	if n, _ := strconv.Atoi(p.arg(0)); n > 0 { // TestTongues
		return n
	}
	if len(p.spans) != 1 || p.spans[0].unit != "week" || p.spans[0].n != float64(int(p.spans[0].n)) {
		return 0
	}
	return int(p.spans[0].n)
}
