package times

import (
	"errors"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	whole "parley/internal/text"
)

// shortestRhythm is the minimum time between two firings of a reminder.
const shortestRhythm = 5 * time.Minute

// schedules reads five cron fields and @every.
var schedules = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)

// Next returns when a schedule is next due after a moment. It uses the zone's
// wall clock: a time that the clocks skip comes right after the gap, one that they
// repeat comes once. Its errors may be shown to people.
func Next(schedule, zone string, after time.Time) (time.Time, error) {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		return time.Time{}, whole.Tell("I don't know the time zone %q", zone)
	}
	upcoming, err := coming(schedule, loc)
	if err != nil {
		return time.Time{}, whole.Tell("I can't read the schedule “%s”: it needs five fields, such as 0 9 * * 1 for Mondays at 9", schedule)
	}
	first := upcoming(after)
	if first.IsZero() {
		return first, whole.Tell("The schedule “%s” is never due", schedule)
	}
	for t, n := first, 0; n < 3; n++ {
		next := upcoming(t)
		if next.IsZero() {
			break
		}
		if next.Sub(t) < shortestRhythm {
			return time.Time{}, whole.Tell("That is too often: reminders must be at least %d minutes apart", int(shortestRhythm.Minutes()))
		}
		t = next
	}
	return first, nil
}

// coming returns a function for the next time of a schedule; zero is never.
func coming(schedule string, loc *time.Location) (func(after time.Time) time.Time, error) {
	if strings.HasPrefix(schedule, "@every ") && strings.Contains(schedule, " from ") {
		u, err := readRule(schedule)
		return func(after time.Time) time.Time { return u.next(loc, after) }, err
	}
	spec, err := readSchedule(schedule)
	return func(after time.Time) time.Time { return upcoming(spec, loc, after) }, err
}

// upcoming returns the next time, zero for never. Fields are matched on the wall
// clock, where no time is missing or doubled; only then it becomes a moment.
func upcoming(spec cron.Schedule, loc *time.Location, after time.Time) time.Time {
	if after.IsZero() {
		return after
	}
	if every, ok := spec.(cron.ConstantDelaySchedule); ok {
		return after.Add(every.Delay).Truncate(time.Second)
	}
	local := after.In(loc)
	wall := wallOf(local).Truncate(time.Second)
	for {
		if wall = spec.Next(wall); wall.IsZero() {
			return wall
		}
		t := moment(wall, loc)
		if t.After(after) {
			return t
		}
	}
}

// readSchedule parses what a person may have typed: the library's parser panics on
// some input and accepts intervals of a second.
func readSchedule(said string) (spec cron.Schedule, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("unreadable")
		}
	}()
	if len(said) > 200 || strings.Contains(said, "=") {
		return nil, errors.New("unreadable")
	}
	spec, err = schedules.Parse(said)
	if every, ok := spec.(cron.ConstantDelaySchedule); ok && every.Delay < shortestRhythm {
		// The parser rounds anything shorter up to a second.
		return cron.ConstantDelaySchedule{Delay: time.Second}, err
	}
	return spec, err
}
