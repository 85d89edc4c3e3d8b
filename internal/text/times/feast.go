package times

import (
	"strconv"
	"time"
)

// movable returns how to find the first day of its kind from a day on, zero for none; nil for
// a date of our calendar: the last Monday of March, the last day of a month, a day that
// follows Easter or is counted by another calendar.
func (p *piece) movable() func(from time.Time) time.Time {
	switch p.arg(0) {
	case "nth":
		return yearly(0, func(year int) time.Time { return nthWeekday(year, time.Month(p.month), p.nth, p.days[0]) })
	case "last":
		return yearly(0, func(year int) time.Time { return time.Date(year, time.Month(p.month)+1, 0, 0, 0, 0, 0, time.UTC) })
	case "rule":
		return yearly(0, func(year int) time.Time {
			return nthWeekday(year, time.Month(p.number(1)), p.number(2), time.Weekday(p.number(3)%7)).AddDate(0, 0, p.number(4))
		})
	case "easter":
		return yearly(0, func(year int) time.Time { return easter(year).AddDate(0, 0, p.number(1)) })
	case "pascha":
		return yearly(0, func(year int) time.Time { return pascha(year).AddDate(0, 0, p.number(1)) })
	case "advent":
		return yearly(0, func(year int) time.Time {
			eve := time.Date(year, 12, 24, 0, 0, 0, 0, time.UTC)
			return eve.AddDate(0, 0, p.number(1)-int(eve.Weekday()))
		})
	case "hebrew":
		return yearly(3759, func(year int) time.Time { return p.moved(hebrew(year, p.number(1), p.number(2))).AddDate(0, 0, -1) })
	case "chinese":
		return yearly(-1, func(year int) time.Time { return chinese(year, p.number(1), p.number(2)) })
	case "hindu":
		return yearly(-1, func(year int) time.Time {
			return hindu(year, p.number(1), p.number(2), p.number(3)).AddDate(0, 0, p.number(4))
		})
	case "sun":
		return yearly(0, func(year int) time.Time { return sankranti(year, p.number(1), p.number(2)).AddDate(0, 0, p.number(3)) })
	case "parsi":
		return yearly(0, parsi)
	case "kept":
		return yearly(0, func(year int) time.Time { return p.moved(onDay(year, time.Month(p.number(2)), p.number(1))) })
	case "islamic":
		return func(from time.Time) time.Time {
			begin := (from.Year()-622)*33/32 - from.Year() - 1 // its years are shorter
			return yearly(begin, func(year int) time.Time { return islamic(year, p.number(1), p.number(2)) })(from)
		}
	}
	return nil
}

// moved returns the day on which a feast is kept: "5-1" among its words moves it from a
// Friday to the day before.
func (p *piece) moved(day time.Time) time.Time {
	for _, rule := range p.args[min(3, len(p.args)):] {
		n, err := strconv.Atoi(rule[1:])
		if err == nil && int(rule[0]-'0')%7 == int(day.Weekday()) {
			return day.AddDate(0, 0, n)
		}
	}
	return day
}

// number returns an argument of a phrase; 0 for none.
func (p *piece) number(i int) int {
	n, _ := strconv.Atoi(p.arg(i)) // TestTongues
	return n
}

// yearly returns how to find the first of the days that each year has one of, from a day
// on. begin leads to the first year, in its own calendar, that can have it.
func yearly(begin int, of func(year int) time.Time) func(from time.Time) time.Time {
	return func(from time.Time) time.Time {
		for n := range 12 {
			if t := of(from.Year() + begin + n); !t.Before(from) {
				return t
			}
		}
		return time.Time{}
	}
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

// yearly reports whether an offset ends in years.
func (p *piece) yearly() bool { return len(p.spans) > 0 && p.spans[len(p.spans)-1].unit == "year" }

// months returns how many whole months lie ahead; 0 for another length.
func (p *piece) months() int {
	if len(p.spans) != 1 || p.spans[0].unit != "month" || p.spans[0].n != float64(int(p.spans[0].n)) {
		return 0
	}
	return int(p.spans[0].n)
}

// inMonth resolves a day that has a name, in the month of a day.
func (r *resolver) inMonth(of time.Time) (Time, error) {
	then := *r
	then.now, then.ahead = moment(of.AddDate(0, 0, 1-of.Day()), r.now.Location()), nil
	t, err := then.once()
	if err != nil || t.At.Year() != of.Year() || t.At.Month() != of.Month() {
		return Time{}, errUnclear
	}
	r.notes = append(then.notes, Note{wordsNextDay, []any{dayOf(t.At)}})
	return t, nil
}

// years returns how many whole years lie ahead; 0 for another length.
func (p *piece) years() int {
	if len(p.spans) != 1 || p.spans[0].unit != "year" || p.spans[0].n != float64(int(p.spans[0].n)) {
		return 0
	}
	return int(p.spans[0].n)
}
