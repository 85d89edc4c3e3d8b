package times

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// again resolves a rhythm: five cron fields if they can express it, else a number of units
// counted from an anchor, which neither short months nor late answers move.
func (r *resolver) again() (Time, error) {
	p := r.rhythm
	if r.ahead != nil || r.shift != nil {
		return Time{}, errUnclear
	}
	switch p.kind {
	case "every":
		return r.every(p)
	case "daily":
		return r.cron(nil, "*", "*", "*")
	case "workdays":
		return r.cron(nil, "*", "*", "1-5")
	case "weekends":
		return r.cron(nil, "*", "*", "0,6")
	case "weekly":
		return r.weekly(p)
	case "monthly":
		return r.monthly(p, 1)
	}
	return r.yearly(p, 1)
}

// every resolves "every 2 hours", "every other day", "every 3 months on the 5th". The
// number may come from the data: "every 2".
func (r *resolver) every(p *piece) (Time, error) {
	n, unit := 0.0, ""
	if len(p.spans) > 0 {
		n, unit = p.spans[0].n, p.spans[0].unit
	}
	if arg, err := strconv.Atoi(p.arg(0)); err == nil {
		n = float64(arg)
	}
	if p.arg(1) != "" {
		unit = p.arg(1)
	}
	if lengths[unit] > 0 {
		return r.elapsing(p, n, unit)
	}
	whole := int(n)
	if float64(whole) != n || whole < 1 || whole > 1000 || len(p.spans) > 1 {
		return Time{}, errUnclear
	}
	switch unit {
	case "day":
		if whole == 1 {
			return r.cron(nil, "*", "*", "*")
		}
		return r.anchored(whole, "d", nil)
	case "week":
		on := &piece{days: []time.Weekday{r.now.Weekday()}}
		if r.day != nil {
			if on, r.day = r.day, nil; on.kind != "weekday" {
				return Time{}, errUnclear
			}
		}
		return r.weekly(&piece{kind: "weekly", args: []string{strconv.Itoa(whole)}, days: on.days})
	case "month":
		on := &piece{date: date{day: r.now.Day()}}
		if r.day != nil {
			if on, r.day = r.day, nil; on.kind != "monthday" {
				return Time{}, errUnclear
			}
		}
		return r.monthly(on, whole)
	}
	on := &piece{date: date{day: r.now.Day(), month: int(r.now.Month())}}
	if r.day != nil {
		if on, r.day = r.day, nil; on.kind != "date" || on.year > 0 || on.arg(0) == "either" {
			return Time{}, errUnclear
		}
	}
	return r.yearly(on, whole)
}

// elapsing resolves a rhythm in hours and minutes, which ignores the wall clock.
func (r *resolver) elapsing(p *piece, n float64, unit string) (Time, error) {
	length := time.Duration(n * float64(lengths[unit]))
	if len(p.spans) > 1 {
		for _, more := range p.spans[1:] {
			length += time.Duration(more.n * float64(lengths[more.unit]))
			if lengths[more.unit] == 0 {
				return Time{}, errUnclear
			}
		}
	}
	if r.day != nil || len(r.clocks) > 0 || r.part != "" || length <= 0 || length > farthest {
		return Time{}, errUnclear
	}
	from := r.now.Truncate(time.Second)
	if p.arg(2) == "full" { // hourly is on the hour
		from = from.Add(-time.Duration(from.Minute())*time.Minute - time.Duration(from.Second())*time.Second)
	}
	return Time{Schedule: elapsed(length, from)}, nil
}

// weekly resolves weekdays, every week or every n weeks.
func (r *resolver) weekly(p *piece) (Time, error) {
	n, _ := strconv.Atoi(p.arg(0)) // "weekly 2 : every other {weekday}"
	if r.day != nil {
		return Time{}, errUnclear
	}
	if n > 1 {
		if len(p.days) != 1 {
			return Time{}, errUnclear
		}
		return r.anchored(n, "w", func(day time.Time) bool { return day.Weekday() == p.days[0] })
	}
	return r.cron(p.days, "*", "*", "")
}

// monthly resolves a day of the month, or the last one of a shorter month; or one of its
// weekdays.
func (r *resolver) monthly(p *piece, n int) (Time, error) {
	if r.day != nil {
		return Time{}, errUnclear
	}
	if p.nth != 0 {
		rule := rule{n: n, unit: "mo", nth: p.nth, work: p.arg(0) == "work"}
		if !rule.work {
			rule.weekday = p.days[0]
		}
		return r.anchoredBy(rule, func(day time.Time) bool { return rule.nthOf(day).Equal(day) })
	}
	want := p.date.day
	if p.arg(0) == "last" {
		want = 31
	}
	if n == 1 && slices.Max(append(p.dates, want)) <= 28 {
		return r.cron(nil, cmp.Or(list(p.dates), strconv.Itoa(want)), "*", "*")
	}
	if len(p.dates) > 1 {
		return Time{}, errUnclear
	}
	if want > 28 {
		r.note("(In shorter months it is the last day.)")
	}
	return r.anchoredBy(rule{n: n, unit: "mo", day: want}, func(day time.Time) bool { return day.Day() == min(want, daysIn(day)) })
}

// yearly resolves a date: 28 February in years without a 29th.
func (r *resolver) yearly(p *piece, n int) (Time, error) {
	month := time.Month(p.month)
	if r.day != nil || p.year > 0 || p.arg(0) == "either" || onDay(2024, month, p.date.day).IsZero() {
		return Time{}, errUnclear
	}
	leap := month == time.February && p.date.day == 29
	if n == 1 && !leap {
		return r.cron(nil, strconv.Itoa(p.date.day), strconv.Itoa(int(month)), "*")
	}
	if leap {
		r.note("(In years without a 29 February it is the 28th.)")
	}
	return r.anchoredBy(rule{n: n, unit: "y", day: p.date.day}, func(day time.Time) bool {
		return day.Month() == month && day.Day() == min(p.date.day, daysIn(day))
	})
}

// settled returns the times of day of a rhythm.
func (r *resolver) settled() (all []ofDay, err error) {
	clocks := r.clocks
	if len(clocks) == 0 {
		clocks = []clock{{}}
	}
	for _, c := range clocks {
		if c.bare && c.half == "" && r.part == "" && c.part == "" && len(clocks) > 1 {
			return nil, errUnclear
		}
		t, open, ok := settle(c, r.partOf(c))
		if !ok || t.second > 0 {
			return nil, errUnclear
		}
		if open {
			t = likely(c, t)
		}
		if len(clocks) == 1 {
			day := r.day
			r.day = nil
			r.notesOn(c, t, open, dayOf(r.now))
			r.day = day
		}
		all = append(all, t)
	}
	return all, nil
}

// cron returns the five fields: the times of day that were named, on weekdays; without
// any, on week.
func (r *resolver) cron(weekdays []time.Weekday, day, month, week string) (Time, error) {
	times, err := r.settled()
	if err != nil || r.day != nil {
		return Time{}, errUnclear
	}
	minute, after := times[0].minute, times[0].after
	var hours []int
	for _, t := range times {
		if t.minute != minute || t.after != after {
			return Time{}, errUnclear
		}
		hours = append(hours, t.hour)
	}
	if after > 0 && (day != "*" || week == "1-5" || week == "0,6") {
		return Time{}, errUnclear // on the day after the 5th? people can say which
	}
	if len(weekdays) > 0 {
		var on []int
		for _, d := range weekdays {
			on = append(on, (int(d)+after)%7)
		}
		week = list(on)
		if after > 0 {
			r.note("(That is in the night after the day you said.)")
		}
	}
	return Time{Schedule: fmt.Sprintf("%d %s %s %s %s", minute, list(hours), day, month, week)}, nil
}

// list is numbers in order with commas.
func list(all []int) string {
	slices.Sort(all)
	var words []string
	for _, n := range slices.Compact(all) {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, ",")
}

// anchored resolves every n units from the next day that fits.
func (r *resolver) anchored(n int, unit string, fits func(day time.Time) bool) (Time, error) {
	return r.anchoredBy(rule{n: n, unit: unit}, fits)
}

func (r *resolver) anchoredBy(u rule, fits func(day time.Time) bool) (Time, error) {
	times, err := r.settled()
	if err != nil || len(times) != 1 || r.day != nil || times[0].after > 0 && fits != nil {
		return Time{}, errUnclear
	}
	for day, n := dayOf(r.now), 0; n < 5*366; day, n = day.AddDate(0, 0, 1), n+1 {
		if at := r.at(day, times[0]); at.After(r.now) && (fits == nil || fits(day)) {
			u.wall = time.Date(day.Year(), day.Month(), day.Day()+times[0].after, times[0].hour, times[0].minute, 0, 0, time.UTC)
			return Time{Schedule: u.String()}, nil
		}
	}
	return Time{}, errUnclear
}
