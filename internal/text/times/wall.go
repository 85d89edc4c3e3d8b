package times

import (
	"os"
	"strings"
	"time"
)

// Days are counted on the wall clock, where all are equally long: such times are in UTC,
// whatever their zone.

// wallOf returns what a wall clock shows at a moment.
func wallOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// dayOf returns the date on the wall at a moment.
func dayOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// moment returns when a wall clock in loc shows a time. A time within a gap moves as far
// behind it; one that occurs twice is either of the two.
func moment(wall time.Time, loc *time.Location) time.Time {
	t := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), wall.Nanosecond(), loc)
	if early := wall.Sub(wallOf(t)); early > 0 {
		return t.Add(early)
	}
	return t
}

// MachineZone returns the name of this machine's time zone, "" when it has none but
// UTC or none is known.
func MachineZone() string {
	name, set := os.LookupEnv("TZ")
	if !set {
		link, err := os.Readlink("/etc/localtime")
		if err != nil {
			return ""
		}
		_, name, _ = strings.Cut(link, "/zoneinfo/")
	}
	name = strings.TrimPrefix(name, ":")
	if loc, err := time.LoadLocation(name); err != nil || loc == time.UTC || strings.HasSuffix(name, "UTC") {
		return ""
	}
	return name
}
