package times

import (
	"errors"
	"slices"
	"strconv"
	"time"
)

// resolver finds what words mean for somebody, now.
type resolver struct {
	said
	now   time.Time // where they are
	notes []Note
	named bool // the date of its day is to be said
}

func (r *resolver) note(words string, args ...any) { r.notes = append(r.notes, Note{words, args}) }

// resolve returns the time, which may be past, and further ones that were named with it;
// errUnclear if nobody could tell.
func (r *resolver) resolve() (Time, error) {
	if r.zone != nil {
		r.now = r.now.In(r.zone)
	}
	t, err := r.one()
	if all := r.apart(); errors.Is(err, errUnclear) && len(all) > 1 {
		return several(all)
	}
	return t, err
}

// one resolves a single time or rhythm.
func (r *resolver) one() (t Time, err error) {
	switch {
	case r.last == "after", r.rhythm != nil && (r.zone != nil || r.after):
		err = errUnclear // a rhythm keeps to the person's own clock
	case r.rhythm != nil:
		t, err = r.again()
	default:
		t, err = r.once()
	}
	if r.after {
		r.note("(That is the earliest time that you named.)")
	}
	t.Notes = r.notes
	return t, err
}

// apart returns one resolver for each of the days and times of day that were named: "Monday
// and Wednesday at 8am and 6pm" are four. An hour that is but a number is none of several.
func (r *resolver) apart() (all []*resolver) {
	days := []*piece{r.day}
	if r.day != nil && r.day.kind == "weekday" && len(r.day.days) > 1 {
		days = nil
		for _, on := range r.day.days {
			day := *r.day
			day.days = []time.Weekday{on}
			days = append(days, &day)
		}
	}
	clocks := r.clocks
	if len(clocks) == 0 {
		clocks = []clock{{}}
	}
	for _, day := range days {
		for _, c := range clocks {
			if len(clocks) > 1 && c.bare && c.half == "" && r.part == "" && c.part == "" {
				return nil
			}
			one := &resolver{said: r.said, now: r.now}
			one.part = r.partOf(c)
			if one.day = day; c.said {
				one.clocks = []clock{c}
			}
			all = append(all, one)
		}
	}
	return all
}

// partOf returns the part of the day that goes for one of the times of day, which may have
// one of its own.
func (r *resolver) partOf(c clock) string {
	if len(r.clocks) > 1 && c.part != "" {
		return ""
	}
	return r.part
}

// several resolves times that were named together, the next one first.
func several(all []*resolver) (Time, error) {
	var times []Time
	for _, r := range all {
		t, err := r.one()
		if err != nil {
			return Time{}, err
		}
		times = append(times, t)
	}
	slices.SortStableFunc(times, func(a, b Time) int { return a.At.Compare(b.At) })
	first := times[0]
	first.more = times[1:]
	return first, nil
}

// once resolves a time that comes once.
func (r *resolver) once() (Time, error) {
	if len(r.clocks) > 1 || r.day != nil && len(r.day.days) > 1 || r.empty() ||
		r.off != nil && (r.day == nil || r.shift != nil || r.ahead != nil) {
		return Time{}, errUnclear
	}
	c := clock{}
	if len(r.clocks) > 0 {
		c = r.clocks[0]
	}
	if r.ahead != nil {
		return r.later(c)
	}
	if r.day != nil && r.day.kind == "day" && r.day.number(0) < 0 && r.off == nil {
		return Time{}, errUnclear // yesterday
	}
	if r.day == nil && r.shift == nil {
		if c.bare && c.half == "" && r.part == "" && c.part == "" {
			return Time{}, errUnclear // a number alone
		}
		t, err := r.soon(c)
		t.ofDay = true
		return t, err
	}
	t, open, ok := settle(c, r.part)
	if !ok {
		return Time{}, errUnclear
	}
	if r.day != nil && r.day.kind == "day" && r.day.arg(0) == "0" && r.shift == nil && r.off == nil {
		return r.today(c, t, open)
	}
	first, then, err := r.days()
	if err != nil {
		return Time{}, err
	}
	if open {
		t = likely(c, t)
	}
	if r.off != nil && r.off.yearly() && then != nil {
		return Time{}, errUnclear // a year after which Christmas?
	}
	day, ok := r.offset(first)
	for n := 0; ok && !r.at(day, t).After(r.now) && then != nil && n < 9; n++ {
		first = then(first)
		day, ok = r.offset(first)
	}
	if !ok || r.off == nil && r.day != nil && !r.day.falls(day) {
		return Time{}, errUnclear
	}
	if r.named {
		r.note(wordsNextDay, first)
	}
	r.notesOn(c, t, open, day)
	return r.exactly(day, t), nil
}

// offset adds to a day what was said to lie between: "3 days after", "2 weeks before".
func (r *resolver) offset(day time.Time) (time.Time, bool) {
	if r.off == nil {
		return day, true
	}
	sign := r.off.number(0)
	if len(r.off.days) > 0 { // "the second Friday after"
		far := (sign*(int(r.off.days[0])-int(day.Weekday()))+6)%7 + 1
		if far < 1 {
			far += 7
		}
		day = day.AddDate(0, 0, sign*(far+7*max(0, r.off.nth-1)))
		return day, r.off.nth >= 0
	}
	for _, a := range r.off.spans {
		n := sign * int(a.n)
		if float64(int(a.n)) != a.n || a.n < 1 || a.n > 1e4 {
			return day, false
		}
		switch a.unit {
		case "day":
			day = day.AddDate(0, 0, n)
		case "week":
			day = day.AddDate(0, 0, 7*n)
		case "month":
			day = addMonths(day, n)
		case "year":
			day = addMonths(day, 12*n)
		default:
			return day, false
		}
	}
	return day, true
}

// later resolves a time this far from now: exactly, or on that day at a time of day.
func (r *resolver) later(c clock) (Time, error) {
	if r.ahead.arg(1) == "weekday" && r.day == nil {
		return Time{}, errUnclear
	}
	if n := r.ahead.years(); n > 0 && r.day != nil && r.day.kind == "date" && r.shift == nil { // "Easter in 2 years"
		r.shift, r.ahead = &piece{kind: "year", args: []string{strconv.Itoa(n)}}, nil
		return r.once()
	}
	if n := r.ahead.months(); n > 0 && r.day.named() && r.shift == nil { // "Easter in 9 months"
		return r.inMonth(addMonths(dayOf(r.now), n))
	}
	if r.ahead.arg(0) == "now" {
		return Time{At: r.now.Add(time.Second)}, none(c.said || r.part != "" || r.day != nil || r.shift != nil)
	}
	at, days, ok := ahead(r.now, r.ahead.spans)
	if n := r.ahead.weeks(); r.day != nil && n > 0 { // "Wednesday in two weeks"
		first, _, err := r.days()
		if err != nil || r.shift != nil {
			return Time{}, errUnclear
		}
		r.note(wordsNextDay, first.AddDate(0, 0, 7*n))
		r.day, at, days, ok = nil, moment(first.AddDate(0, 0, 7*n), r.now.Location()), true, true
		if !c.said && r.part == "" {
			return r.exactly(dayOf(at), ofDay{hour: morningHour}), nil
		}
	}
	if !ok || r.day != nil || r.shift != nil {
		return Time{}, errUnclear
	}
	if !c.said && r.part == "" {
		return Time{At: at}, nil
	}
	t, open, ok := settle(c, r.part)
	if !ok || !days {
		return Time{}, errUnclear
	}
	if open {
		t = likely(c, t)
	}
	r.notesOn(c, t, open, dayOf(at))
	return r.exactly(dayOf(at), t), nil
}

// soon resolves a time of day without a day: the next one.
func (r *resolver) soon(c clock) (Time, error) {
	t, open, ok := settle(c, r.part)
	if !ok {
		return Time{}, errUnclear
	}
	today := dayOf(r.now)
	if open && t.hour != 12 {
		evening := t
		evening.hour += 12
		for _, try := range []ofDay{t, evening} {
			if r.at(today, try).After(r.now) {
				r.notesOn(c, try, open, today)
				return r.exactly(today, try), nil
			}
		}
	}
	day := today
	for t.after == 1 && r.at(day.AddDate(0, 0, -1), t).After(r.now) || !r.at(day, t).After(r.now) {
		if t.after == 1 && r.at(day.AddDate(0, 0, -1), t).After(r.now) {
			day = day.AddDate(0, 0, -1) // "at night at 1", said after midnight
			break
		}
		day = day.AddDate(0, 0, 1)
	}
	r.notesOn(c, t, open, day)
	return r.exactly(day, t), nil
}

// today resolves a time of day today, which may be past.
func (r *resolver) today(c clock, t ofDay, open bool) (Time, error) {
	day := dayOf(r.now)
	if open && t.hour < 12 && !r.at(day, t).After(r.now) {
		t.hour += 12
	}
	if !c.said && r.part == "" && !r.at(day, t).After(r.now) {
		t.hour = usual["evening"]
	}
	if before := day.AddDate(0, 0, -1); t.after == 1 && r.now.Hour() < 5 && r.at(before, t).After(r.now) {
		day = before // "tonight at 1", said after midnight
	}
	r.notesOn(c, t, open, day)
	return r.exactly(day, t), nil
}

// at returns the moment of a time of day on a day.
func (r *resolver) at(day time.Time, t ofDay) time.Time {
	return moment(time.Date(day.Year(), day.Month(), day.Day()+t.after, t.hour, t.minute, t.second, 0, time.UTC), r.now.Location())
}

// exactly is at, with a note if the clocks skip that time.
func (r *resolver) exactly(day time.Time, t ofDay) Time {
	at := r.at(day, t)
	if at.Hour() != t.hour || at.Minute() != t.minute {
		r.note("(%s does not exist on that day because the clocks change: I used %s.)", clockText(t), at.Format("15:04"))
	}
	return Time{At: at}
}

// notesOn notes which of two meanings was chosen.
func (r *resolver) notesOn(c clock, t ofDay, open bool, day time.Time) {
	if r.day != nil && r.day.kind == "next-weekday" && r.shift == nil {
		r.note(wordsNextDay, day)
	}
	switch hour := t.hour % 24; {
	case t.after == 1 && (r.day != nil || r.ahead != nil):
		r.note("(That is in the night from %s to %s.)", day, day.AddDate(0, 0, 1))
	case open && hour == 12:
		r.note("(I took 12 as noon; if you mean the night, say midnight.)")
	case open && hour < 12, c.said && c.digits && !c.written && !c.padded && c.half == "" && hour >= 1 && hour < 7 &&
		r.part == "" && c.part == "":
		r.note("(%s in the morning; for the other half of the day say %s.)", clockText(t), clockText(ofDay{hour: hour + 12, minute: t.minute, second: t.second}))
	case open:
		r.note("(%s; for the morning say %s.)", clockText(t), clockText(ofDay{hour: hour - 12, minute: t.minute}))
	}
}

func clockText(t ofDay) string {
	at := time.Date(2000, 1, 1, t.hour, t.minute, t.second, 0, time.UTC)
	if t.second > 0 {
		return at.Format(time.TimeOnly)
	}
	return at.Format("15:04")
}

// ahead adds amounts to now. Whole days and longer ones keep the time of day over a
// change of the clocks, and months end in the month that was meant: a month from 31
// January is the last of February. days is true if no hours or minutes were said.
func ahead(now time.Time, all []amount) (at time.Time, days, ok bool) {
	at, days = now, true
	for _, a := range all {
		whole, part := int(a.n), a.n-float64(int(a.n))
		if a.n <= 0 || a.n > 1e5 {
			return at, days, false
		}
		switch a.unit {
		case "month", "year":
			if part != 0 && a.unit == "month" || part*12 != float64(int(part*12)) {
				return at, days, false
			}
			if a.unit == "year" {
				whole = int(a.n * 12)
			}
			at = moment(addMonths(wallOf(at), whole), at.Location())
		case "day", "week":
			if a.unit == "week" {
				whole, part = int(a.n*7), a.n*7-float64(int(a.n*7))
			}
			at = moment(wallOf(at).AddDate(0, 0, whole), at.Location()).Add(time.Duration(part * float64(24*time.Hour)))
		default:
			at, days = at.Add(time.Duration(a.n*float64(lengths[a.unit]))), false
		}
	}
	return at, days, at.After(now)
}

var lengths = map[string]time.Duration{"second": time.Second, "minute": time.Minute, "hour": time.Hour}

// addMonths adds months to a time. A day that the month lacks becomes its last.
func addMonths(t time.Time, n int) time.Time {
	first := time.Date(t.Year(), t.Month(), 1, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), t.Location()).AddDate(0, n, 0)
	return first.AddDate(0, 0, min(t.Day(), daysIn(first))-1)
}

func daysIn(t time.Time) int {
	return time.Date(t.Year(), t.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// onDay returns a date; zero if the month has no such day.
func onDay(year int, month time.Month, day int) time.Time {
	t := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	if t.Day() != day {
		return time.Time{}
	}
	return t
}

// sinceMonday counts the days of a week before one.
func sinceMonday(d time.Weekday) int { return (int(d) + 6) % 7 }
