package facts

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// endOf returns when a fact ends by its own words ("until June", "for the next two weeks"):
// the moment after the last day, or zero for never. "Until" a day includes the day; until a
// month or year means its beginning, unless the text says end. Without a year it is the
// next such date after now. Repeated and past events have no end.
func endOf(content string, now time.Time) time.Time {
	list := strings.FieldsFunc(strings.ToLower(content), func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.N) && !strings.ContainsRune(".-", r)
	})
	for i, w := range list {
		list[i] = strings.Trim(w, ".-")
	}
	has := func(set map[string]bool, in []string) bool {
		return slices.ContainsFunc(in, func(w string) bool { return set[w] })
	}
	if has(ever, list) || has(former, list[:min(len(list), 3)]) {
		return time.Time{}
	}
	d := dating{now: now.UTC(), again: has(again, list)}
	for i, w := range list {
		var end time.Time
		switch d.words = list[i+1:]; {
		case w == "bis" && d.is(here): // in German, and in French it is yesterday
		case untils[w] && !has(again, d.words):
			end = d.until(w == "through")
		case nexts[w]:
			end = d.span()
		}
		if !end.IsZero() {
			return end
		}
	}
	return time.Time{}
}

// dating reads a date word by word.
type dating struct {
	words []string
	now   time.Time
	again bool // it is repeated: a day of the week means no date
}

// is takes the next word if it is in a set.
func (d *dating) is(set map[string]bool) bool {
	if len(d.words) == 0 || !set[d.words[0]] {
		return false
	}
	d.words = d.words[1:]
	return true
}

// number takes the next word if it is a number such as 5, 5th or two.
func (d *dating) number() (n int, ok bool) {
	if len(d.words) == 0 {
		return 0, false
	}
	w := strings.TrimSuffix(d.words[0], "º")
	if quantity(w) {
		w = singular(w)
	}
	n, err := strconv.Atoi(w)
	if err != nil {
		n, ok = counts[w]
	}
	if err == nil || ok {
		d.words = d.words[1:]
		return n, true
	}
	return 0, false
}

// until reads a day, a week, a month or a year. toEnd means the end of that.
func (d *dating) until(toEnd bool) time.Time {
	next := false
	for d.is(fillers) {
	}
	switch {
	case d.is(ends):
		toEnd = true
	case d.is(starts):
	}
	for d.is(fillers) {
	}
	if d.is(nexts) {
		next = true
	} else if d.is(these) {
		toEnd = true
	}
	if len(d.words) == 0 {
		return time.Time{}
	}
	if at, ok := d.written(); ok {
		return at
	}
	if unit := wholes[d.words[0]]; unit != "" {
		return d.begins(unit, 1)
	}
	if unit := units[d.words[0]]; unit != "" {
		if !toEnd && !next {
			return time.Time{}
		}
		n := 1
		if next && toEnd {
			n = 2
		}
		return d.begins(unit, n)
	}
	if at := d.day(d.words[0]); !at.IsZero() {
		return at
	}
	return d.inYear(toEnd)
}

// span reads a number of days, weeks, months or years from now.
func (d *dating) span() time.Time {
	n, ok := d.number()
	if !ok || n < 1 || n > 1000 || len(d.words) == 0 {
		return time.Time{}
	}
	today := d.now.Truncate(24 * time.Hour)
	switch units[d.words[0]] {
	case "day":
		return today.AddDate(0, 0, n+1)
	case "week":
		return today.AddDate(0, 0, 7*n+1)
	case "month":
		return today.AddDate(0, n, 1)
	case "year":
		return today.AddDate(n, 0, 1)
	}
	return time.Time{}
}

// begins returns when the nth unit after the present one begins.
func (d *dating) begins(unit string, n int) time.Time {
	today := d.now.Truncate(24 * time.Hour)
	switch unit {
	case "week":
		return today.AddDate(0, 0, 7*n-(int(today.Weekday())+6)%7)
	case "month":
		return time.Date(d.now.Year(), d.now.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	case "year":
		return time.Date(d.now.Year()+n, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return today.AddDate(0, 0, n)
}

// written reads a date in digits: 2026-05-31, 31.5.2026 or 31.5.
func (d *dating) written() (at time.Time, ok bool) {
	part := func(by string) (n []int) {
		for _, p := range strings.Split(d.words[0], by) {
			v, err := strconv.Atoi(p)
			if err != nil {
				return nil
			}
			n = append(n, v)
		}
		return n
	}
	if n := part("-"); len(n) == 3 {
		return dayAfter(n[0], n[1], n[2]), true
	}
	switch n := part("."); {
	case len(n) == 3:
		return dayAfter(n[2], n[1], n[0]), true
	case len(n) == 2:
		return d.coming(func(y int) time.Time { return dayAfter(y, n[1], n[0]) }), true
	}
	return at, false
}

// inYear reads a day and a month in either order, with or without a year, or a month or
// year alone.
func (d *dating) inYear(toEnd bool) time.Time {
	day, dated := d.number()
	if dated && day >= 1900 && day < 2100 {
		if toEnd {
			day++
		}
		return time.Date(day, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	for d.is(fillers) {
	}
	if len(d.words) == 0 {
		return time.Time{}
	}
	month := monthOf(d.words[0])
	if month == 0 {
		return time.Time{}
	}
	d.words = d.words[1:]
	for d.is(fillers) {
	}
	year, ok := d.number()
	if ok && !dated && year < 32 {
		day, dated = year, true
		year, ok = d.number()
	}
	at := func(y int) time.Time {
		switch {
		case dated:
			return dayAfter(y, month, day)
		case toEnd:
			return time.Date(y, time.Month(month)+1, 1, 0, 0, 0, 0, time.UTC)
		}
		return time.Date(y, time.Month(month), 1, 0, 0, 0, 0, time.UTC)
	}
	if ok && year >= 1900 && year < 2100 {
		return at(year)
	}
	return d.coming(at)
}

// coming returns this year's time, or next year's if that is over.
func (d *dating) coming(at func(year int) time.Time) time.Time {
	end := at(d.now.Year())
	if !end.IsZero() && !end.After(d.now) {
		end = at(d.now.Year() + 1)
	}
	return end
}

// dayAfter returns the beginning of the day after a date, or zero if there is no such date.
func dayAfter(y, m, d int) time.Time {
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	if t.Day() != d || int(t.Month()) != m {
		return time.Time{}
	}
	return t.AddDate(0, 0, 1)
}

// day reads today, tomorrow, Christmas and the days of the week.
func (d *dating) day(word string) time.Time {
	today := d.now.Truncate(24 * time.Hour)
	if n, ok := nearDays[word]; ok {
		return today.AddDate(0, 0, n)
	}
	switch n, ok := dayNames[word]; {
	case christmas[word]:
		return d.coming(func(y int) time.Time { return dayAfter(y, 12, 25) })
	case ok && !d.again:
		return today.AddDate(0, 0, (n-int(today.Weekday())+6)%7+2)
	}
	return time.Time{}
}

// monthOf returns the month of a name, 0 for none.
func monthOf(name string) int {
	return slices.IndexFunc(monthNames[:], func(names map[string]bool) bool { return names[strings.ToLower(name)] }) + 1
}

// Past reports whether a fact no longer holds.
func (f Fact) Past(now time.Time) bool { return !f.Ends.IsZero() && !f.Ends.After(now) }
