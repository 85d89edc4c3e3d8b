package when

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	whole "parley/internal/text"
)

// Time is a time that somebody put in words: once, or a schedule.
type Time struct {
	At       time.Time // zero with a Schedule
	Schedule string    // five cron fields, or "@every 2h"
	Note     string    // what had to be changed about it, for the person; "" for nothing
}

// farthest is how far ahead a reminder may lie.
const farthest = 5 * 366 * 24 * time.Hour

// maxWhen bounds what is parsed at all.
const maxWhen = 200

var (
	cronForm  = whole.Pattern(`^[\d*][\d*/,-]*(?: +[\d*/,A-Za-z?-]+){4}$`)
	exactForm = []string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04"}

	numbers = map[string]int{"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30}
	months  = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}
	days    = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}
	parts   = map[string]int{"morning": 9, "noon": 12, "midday": 12, "lunchtime": 12, "afternoon": 15, "evening": 18, "tonight": 20, "night": 21, "midnight": 0}
)

// Parse reads a time or a rhythm in English words, as a date, or as a cron
// expression, for somebody in loc. It never reads the past, nor more than five
// years ahead. Its errors are sentences for people.
func Parse(text string, now time.Time, loc *time.Location) (Time, error) {
	said := strings.TrimSpace(text)
	if len(said) > maxWhen {
		return Time{}, whole.Tell(wordNoWhen, whole.Clip(said, 20)+"…")
	}
	w, err := newParser(said, now, loc).parse()
	if errors.Is(err, errUnclear) {
		return Time{}, whole.Tell(wordNoWhen, said)
	}
	if err != nil || w.Schedule != "" {
		return w, err
	}
	switch {
	case !w.At.After(now):
		return Time{}, whole.Tell(wordPast, w.At.In(loc).Format("2006-01-02 15:04 MST"))
	case w.At.Sub(now) > farthest:
		return Time{}, whole.Tell(wordTooFar)
	}
	return w, nil
}

var errUnclear = errors.New("unclear")

var remindForm = whole.Pattern(`(?i)^(?:remind )?(?:me )?`)

// Split parts "in 10 minutes to stretch" or "stretch in 10 minutes" into
// the time and what it is for: the longest time that can be read wins. ok is
// false when there is none, or nothing else: then what is empty, and when is
// the time if there is one.
func Split(text string, now time.Time) (when, what string, ok bool) {
	words := strings.Fields(remindForm().ReplaceAllString(strings.TrimSpace(text), ""))
	words = words[:min(len(words), 200)]
	readable := func(words []string) bool {
		if len(words) == 0 || len(words) > 15 {
			return false
		}
		_, err := newParser(strings.Join(words, " "), now, time.UTC).parse()
		return err == nil
	}
	if readable(words) {
		return strings.Join(words, " "), "", false
	}
	for n := min(len(words)-1, 15); n > 0; n-- {
		if rest := words[n:]; readable(words[:n]) {
			if rest[0] == "to" || rest[0] == "that" || rest[0] == "about" {
				rest = rest[1:]
			}
			return strings.TrimRight(strings.Join(words[:n], " "), ":,"), strings.Join(rest, " "), len(rest) > 0
		}
	}
	for n := 1; n < len(words); n++ {
		if readable(words[n:]) {
			return strings.Join(words[n:], " "), strings.TrimPrefix(strings.Join(words[:n], " "), "to "), true
		}
	}
	return "", "", false
}

// parser takes what it understands out of rest; what is left must be
// filler.
type parser struct {
	now  time.Time
	loc  *time.Location
	rest string
}

func newParser(text string, now time.Time, loc *time.Location) *parser {
	low := strings.Join(strings.Fields(strings.ToLower(strings.Trim(text, ".!?:, "))), " ")
	return &parser{now: now.In(loc), loc: loc, rest: low}
}

// parse reads it, whether or not it is past.
func (p *parser) parse() (Time, error) {
	if cronForm().MatchString(p.rest) || strings.HasPrefix(p.rest, "@every ") {
		return Time{Schedule: p.rest}, nil
	}
	for _, form := range exactForm {
		if t, err := time.ParseInLocation(form, strings.ToUpper(p.rest), p.loc); err == nil {
			return p.checked(t, t.Hour(), t.Minute()), nil
		}
	}
	if strings.HasPrefix(p.rest, "every") || strings.HasPrefix(p.rest, "each ") || p.starts("daily", "hourly", "weekly", "monthly", "weekdays", "on weekdays") {
		return p.rhythm()
	}
	if t, ok := p.ahead(); ok {
		return Time{At: t}, nil
	}
	return p.once()
}

func (p *parser) starts(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return p.rest == w || strings.HasPrefix(p.rest, w+" ") })
}

// take removes the first match of a pattern from rest and returns its groups.
func (p *parser) take(pattern func() *regexp.Regexp) []string {
	re := pattern()
	at := re.FindStringSubmatchIndex(p.rest)
	if at == nil {
		return nil
	}
	groups := re.FindStringSubmatch(p.rest)
	p.rest = strings.Join(strings.Fields(p.rest[:at[0]]+" "+p.rest[at[1]:]), " ")
	return groups
}

var filler = whole.Pattern(`\b(?:at|on|the|of|in|by|this|around|about|and|for|o'clock|me)\b|[,@]`)

// done reports whether nothing is left that was not understood.
func (p *parser) done() bool {
	return strings.TrimSpace(filler().ReplaceAllString(p.rest, "")) == ""
}

var (
	aheadForm = whole.Pattern(`^in (.+)$`)
	spanForm  = whole.Pattern(`^(half an|a quarter of an|a couple of|(?:\d{1,5}(?:\.\d)?|[a-z]+)(?: more)?) ?(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|months?|years?)\b(?: and a half)?(?:,? and |,? )?`)
)

// ahead reads "in 2 hours and 10 minutes", "in half an hour".
func (p *parser) ahead() (time.Time, bool) {
	m := aheadForm().FindStringSubmatch(p.rest)
	if m == nil {
		return p.now, false
	}
	at := p.now
	for rest := m[1]; rest != ""; {
		span := spanForm().FindStringSubmatch(rest)
		if span == nil {
			return at, false
		}
		n, ok := quantity(strings.TrimSuffix(span[1], " more"))
		if !ok || n > 1e5 {
			return at, false
		}
		if strings.Contains(span[0], "and a half") {
			n += 0.5
		}
		at = later(at, n, span[2])
		rest = rest[len(span[0]):]
	}
	return at, at.After(p.now)
}

// later adds n units. Whole days and longer ones keep the time of day over a
// change of the clocks.
func later(t time.Time, n float64, unit string) time.Time {
	whole, days := int(n), 0
	switch unit {
	case "s", "sec", "secs", "second", "seconds":
		return t.Add(time.Duration(n * float64(time.Second)))
	case "m", "min", "mins", "minute", "minutes":
		return t.Add(time.Duration(n * float64(time.Minute)))
	case "h", "hr", "hrs", "hour", "hours":
		return t.Add(time.Duration(n * float64(time.Hour)))
	case "w", "week", "weeks":
		whole, days, n = 0, int(n*7), n*7
	case "month", "months":
		return t.AddDate(0, whole, int((n-float64(whole))*30))
	case "year", "years":
		return t.AddDate(whole, int((n-float64(whole))*12), 0)
	}
	days += whole
	return t.AddDate(0, 0, days).Add(time.Duration((n - float64(int(n))) * float64(24*time.Hour)))
}

func quantity(word string) (float64, bool) {
	switch word {
	case "half an":
		return 0.5, true
	case "a quarter of an":
		return 0.25, true
	case "a couple of":
		return 2, true
	}
	if n, ok := numbers[word]; ok {
		return float64(n), true
	}
	n, err := strconv.ParseFloat(word, 64)
	return n, err == nil && n > 0
}

var (
	clockForm = whole.Pattern(`(?:\bat |@ ?|\b)(\d{1,2})(?:[:.h](\d{2}))? ?(am|pm|a\.m\.?|p\.m\.?|o'clock)?(?:$|[ ,])`)
	pastForm  = whole.Pattern(`\b(half|quarter) (past|to) (\d{1,2}|[a-z]+)\b`)
	partForm  = whole.Pattern(`\b(morning|noon|midday|lunchtime|afternoon|evening|tonight|night|midnight)\b`)
)

// clock is a time of day. exact says that it was not left open which half of
// the day is meant.
type clock struct {
	hour, minute int
	exact, ok    bool
}

// clockTime takes the time of day out of rest.
func (p *parser) clockTime() (c clock, err error) {
	part := ""
	if m := p.take(partForm); m != nil {
		part = m[1]
		c = clock{hour: parts[part], exact: true, ok: true}
	}
	if m := p.take(pastForm); m != nil {
		n, ok := quantity(m[3])
		if !ok || n > 24 {
			return c, errUnclear
		}
		c = clock{hour: int(n), minute: map[string]int{"half": 30, "quarter": 15}[m[1]], ok: true}
		if m[2] == "to" {
			c.hour, c.minute = c.hour-1, 60-c.minute
		}
	} else if m := p.take(clockForm); m != nil {
		c = clock{ok: true, exact: m[2] != ""}
		c.hour, _ = strconv.Atoi(m[1]) // two digits
		c.minute, _ = strconv.Atoi(m[2])
		switch strings.ReplaceAll(m[3], ".", "") {
		case "am", "pm":
			if c.hour < 1 || c.hour > 12 {
				return c, errUnclear
			}
			c.exact = true
			c.hour = c.hour % 12
			if m[3][0] == 'p' {
				c.hour += 12
			}
		}
	}
	if c.hour > 24 || c.minute > 59 || c.hour < 0 {
		return c, errUnclear
	}
	if c.hour < 12 && !c.exact && (part == "afternoon" || part == "evening" || part == "tonight" || part == "night") {
		c.hour, c.exact = c.hour+12, true
	} else if part == "morning" {
		c.exact = true
	}
	return c, nil
}

var (
	isoDate  = whole.Pattern(`\b(\d{4})-(\d{2})-(\d{2})\b`)
	dayFirst = whole.Pattern(`\b(\d{1,2})(?:st|nd|rd|th)?(?: of)? (jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?:,? (\d{4}))?\b`)
	dayLast  = whole.Pattern(`\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?\b`)
	ofMonth  = whole.Pattern(`\b(\d{1,2})(?:st|nd|rd|th)\b`)
	named    = whole.Pattern(`\b(day after tomorrow|tomorrow|today|next week|next month|next year|weekend)\b`)
	weekday  = whole.Pattern(`\b(?:(next|this|coming) )?(sun|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?)(?:day)?\b`)
	inDays   = whole.Pattern(`\bin (\d{1,4}|[a-z]+) (days?|weeks?|months?)\b`)
)

// date takes the day out of rest. named is false when there is none. later is
// the same day a week, month or year on, for one that turns out to be past.
func (p *parser) date() (day time.Time, later func(time.Time) time.Time, err error) {
	today := p.day(p.now.Year(), p.now.Month(), p.now.Day())
	year := func(t time.Time) time.Time { return t.AddDate(1, 0, 0) }
	if m := p.take(isoDate); m != nil {
		t, err := time.ParseInLocation(time.DateOnly, m[0], p.loc)
		if err != nil {
			return day, nil, errUnclear
		}
		return t, nil, nil
	}
	if m := p.take(dayFirst); m != nil {
		return p.monthDay(m[2], m[1], m[3], year)
	}
	if m := p.take(dayLast); m != nil {
		return p.monthDay(m[1], m[2], m[3], year)
	}
	if m := p.take(inDays); m != nil {
		n, ok := quantity(m[1])
		if !ok {
			return day, nil, errUnclear
		}
		switch m[2][0] {
		case 'w':
			return today.AddDate(0, 0, 7*int(n)), nil, nil
		case 'm':
			return today.AddDate(0, int(n), 0), nil, nil
		}
		return today.AddDate(0, 0, int(n)), nil, nil
	}
	if m := p.take(named); m != nil {
		return p.namedDay(m[1], today), nil, nil
	}
	if m := p.take(weekday); m != nil {
		ahead := (weekdayOf(m[2]) - int(today.Weekday()) + 7) % 7
		if ahead == 0 && m[1] == "next" {
			ahead = 7
		}
		return today.AddDate(0, 0, ahead), func(t time.Time) time.Time { return t.AddDate(0, 0, 7) }, nil
	}
	if m := p.take(ofMonth); m != nil {
		n, _ := strconv.Atoi(m[1]) // two digits
		t := p.day(today.Year(), today.Month(), n)
		for t.Day() != n || t.Before(today) {
			if n < 1 || n > 31 {
				return day, nil, errUnclear
			}
			t = p.day(t.Year(), t.Month()+1, 1)
			t = p.day(t.Year(), t.Month(), n)
		}
		return t, func(t time.Time) time.Time { return t.AddDate(0, 1, 0) }, nil
	}
	return time.Time{}, nil, nil
}

func (p *parser) day(y int, m time.Month, d int) time.Time {
	return time.Date(y, m, d, 0, 0, 0, 0, p.loc)
}

func (p *parser) namedDay(name string, today time.Time) time.Time {
	switch name {
	case "tomorrow":
		return today.AddDate(0, 0, 1)
	case "day after tomorrow":
		return today.AddDate(0, 0, 2)
	case "next week":
		return today.AddDate(0, 0, 7)
	case "next month":
		return today.AddDate(0, 1, 0)
	case "next year":
		return today.AddDate(1, 0, 0)
	case "weekend":
		return today.AddDate(0, 0, (6-int(today.Weekday())+7)%7)
	}
	return today
}

func (p *parser) monthDay(month, day, year string, later func(time.Time) time.Time) (time.Time, func(time.Time) time.Time, error) {
	m := slices.IndexFunc(months, func(n string) bool { return strings.HasPrefix(n, month) }) + 1
	d, _ := strconv.Atoi(day) // two digits
	y := p.now.Year()
	if year != "" {
		y, _ = strconv.Atoi(year) // four digits
		later = nil
	}
	t := p.day(y, time.Month(m), d)
	if t.Day() != d || int(t.Month()) != m {
		return t, nil, errUnclear
	}
	return t, later, nil
}

func weekdayOf(prefix string) int {
	return slices.IndexFunc(days, func(d string) bool { return strings.HasPrefix(d, prefix[:3]) })
}

// morningHour is the time of day of a day without one.
const morningHour = 9

// once reads a day, a time of day, or both.
func (p *parser) once() (Time, error) {
	tonight := p.starts("tonight", "this evening", "this afternoon", "this morning")
	day, later, err := p.date()
	if err != nil {
		return Time{}, err
	}
	c, err := p.clockTime()
	if err != nil {
		return Time{}, err
	}
	if !p.done() || day.IsZero() && !c.ok {
		return Time{}, errUnclear
	}
	if !c.ok {
		c = clock{hour: morningHour, exact: true}
	}
	if !day.IsZero() {
		if !c.exact && c.hour >= 1 && c.hour < 7 {
			c.hour += 12 // "on Monday at 5" is in the afternoon
		}
		w := p.at(day, c)
		if !w.At.After(p.now) && later != nil {
			w = p.at(later(day), c)
		}
		return w, nil
	}
	today := p.day(p.now.Year(), p.now.Month(), p.now.Day())
	tries := []clock{c}
	if !c.exact && c.hour >= 1 && c.hour < 12 {
		tries = append(tries, clock{hour: c.hour + 12, minute: c.minute})
	}
	for _, t := range tries {
		if w := p.at(today, t); w.At.After(p.now) {
			return w, nil
		}
	}
	if tonight {
		return p.at(today, c), nil // which is past
	}
	return p.at(today.AddDate(0, 0, 1), c), nil
}

// at returns a time of day on a day.
func (p *parser) at(day time.Time, c clock) Time {
	return p.checked(time.Date(day.Year(), day.Month(), day.Day(), c.hour, c.minute, 0, 0, p.loc), c.hour%24, c.minute)
}

// checked notes a time that does not exist because the clocks change.
func (p *parser) checked(t time.Time, hour, minute int) Time {
	w := Time{At: t}
	if local := t.In(p.loc); local.Hour() != hour || local.Minute() != minute {
		w.Note = fmt.Sprintf(wordGap, fmt.Sprintf("%02d:%02d", hour, minute), local.Format("15:04"))
	}
	return w
}
