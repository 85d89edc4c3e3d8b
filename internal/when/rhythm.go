package when

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley/internal/text"
)

var (
	everyN     = text.Pattern(`^(?:every|each) (?:(\d{1,4}|[a-z]+) )?(minutes?|mins?|hours?|days?|weeks?|months?|years?|seconds?|secs?)\b`)
	everyOther = text.Pattern(`^every (?:other|second) day\b`)
	everyKind  = text.Pattern(`^(?:every |each |on )?(weekdays?|weekends?|workdays?|morning|evening|night|afternoon|noon|midnight|daily|hourly|weekly|monthly)\b`)
)

// rhythm reads "every weekday at 8:30" and the like as a cron expression.
func (p *parser) rhythm() (Time, error) {
	if p.take(everyOther) != nil {
		return p.schedule("*/2", "*", "*")
	}
	if m := p.take(everyKind); m != nil {
		switch m[1] {
		case "hourly":
			return p.plain("0 * * * *")
		case "weekday", "weekdays", "workday", "workdays":
			return p.schedule("*", "*", "1-5")
		case "weekend", "weekends":
			return p.schedule("*", "*", "0,6")
		case "weekly":
			return p.schedule("*", "*", strconv.Itoa(int(p.now.Weekday())))
		case "monthly":
			return p.schedule(strconv.Itoa(min(p.now.Day(), 28)), "*", "*")
		case "daily":
			return p.schedule("*", "*", "*")
		}
		p.rest = m[1] + " " + p.rest
		return p.schedule("*", "*", "*")
	}
	if m := p.take(everyN); m != nil {
		return p.everyUnit(m[1], m[2])
	}
	p.rest = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(p.rest, "every"), "each"))
	var on []string
	for {
		m := p.take(weekday)
		if m == nil {
			break
		}
		on = append(on, strconv.Itoa(weekdayOf(m[2])))
	}
	if len(on) > 0 {
		p.rest = strings.TrimPrefix(p.rest, "s ")
		return p.schedule("*", "*", strings.Join(on, ","))
	}
	return p.yearly()
}

// yearly reads "every 5th", "every 24 December".
func (p *parser) yearly() (Time, error) {
	if m := p.take(dayFirst); m != nil {
		t, _, err := p.monthDay(m[2], m[1], "2024", nil) // a leap year: every date exists
		if err != nil {
			return Time{}, err
		}
		return p.schedule(strconv.Itoa(t.Day()), strconv.Itoa(int(t.Month())), "*")
	}
	if m := p.take(ofMonth); m != nil {
		p.rest = strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(p.rest, "of the month", ""), "of every month", ""))
		return p.schedule(m[1], "*", "*")
	}
	return Time{}, errUnclear
}

func (p *parser) everyUnit(count, unit string) (Time, error) {
	n := 1.0
	if count != "" {
		var ok bool
		if n, ok = quantity(count); !ok {
			return Time{}, errUnclear
		}
	}
	switch {
	case strings.HasPrefix(unit, "day") && n == 1:
		return p.schedule("*", "*", "*")
	case strings.HasPrefix(unit, "week") && n == 1:
		on := strconv.Itoa(int(p.now.Weekday()))
		if m := p.take(weekday); m != nil {
			on = strconv.Itoa(weekdayOf(m[2]))
		}
		return p.schedule("*", "*", on)
	case strings.HasPrefix(unit, "month") && n == 1:
		day := strconv.Itoa(min(p.now.Day(), 28))
		if m := p.take(ofMonth); m != nil {
			day = m[1]
		}
		return p.schedule(day, "*", "*")
	case strings.HasPrefix(unit, "year") && n == 1:
		return p.yearly()
	case strings.HasPrefix(unit, "month"), strings.HasPrefix(unit, "year"):
		return Time{}, errUnclear
	}
	length := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}[unit[0]]
	return p.plain("@every " + time.Duration(n*float64(length)).String())
}

// plain returns a schedule that takes no time of day.
func (p *parser) plain(spec string) (Time, error) {
	if !p.done() {
		return Time{}, errUnclear
	}
	return Time{Schedule: spec}, nil
}

// schedule returns the cron expression with the time of day that rest names.
func (p *parser) schedule(day, month, week string) (Time, error) {
	c, err := p.clockTime()
	if err != nil {
		return Time{}, err
	}
	if !p.done() {
		return Time{}, errUnclear
	}
	if !c.ok {
		c.hour = morningHour
	}
	return Time{Schedule: fmt.Sprintf("%d %d %s %s %s", c.minute, c.hour%24, day, month, week)}, nil
}
