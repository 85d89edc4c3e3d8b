package text

import (
	"fmt"
	"time"
)

// Many returns a number of things in English: "1 fact", "2 facts".
func Many(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// Ago returns a time before now, as people say it.
func Ago(now, t time.Time) string {
	d := now.Sub(t)
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return Many(int(d.Hours()/24), "day") + " ago"
}

// HowLong returns a duration as people say it.
func HowLong(d time.Duration) string {
	switch {
	case d < 2*time.Hour:
		return Many(int(d.Minutes()), "minute")
	case d < 48*time.Hour:
		return Many(int(d.Hours()), "hour")
	}
	return Many(int(d.Hours()/24), "day")
}
