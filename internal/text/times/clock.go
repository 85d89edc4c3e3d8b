package times

import "strings"

// ofDay is a certain time of day. after is 1 if it falls on the day after the one named,
// as in "Friday night at 1".
type ofDay struct{ hour, minute, after, second int }

// usual is the time of day that a part of the day stands for.
var usual = map[string]int{"": morningHour, "morning": 9, "noon": 12, "afternoon": 15, "evening": 18, "night": 20, "dawn": 5}

// morningHour stands for a day without a time.
const morningHour = 9

// settle combines a time of day with a part of the day. open is true if either half of the
// day may be meant; the hour is then 1 to 12. ok is false if the two contradict each other,
// or there is no such time.
func settle(c clock, part string) (t ofDay, open, ok bool) {
	part, vague := vaguely(part)
	own, alone := vaguely(c.part)
	if (vague || alone) && !c.said {
		return t, false, false
	}
	c.part = own
	if c.part != "" {
		if part != "" && !agree(part, c.part) {
			return t, false, false
		}
		if part != "night" {
			part = c.part
		}
	}
	if !c.said {
		if part == "small" {
			return t, false, false // where "at night" is said of no evening
		}
		if part == "midnight" {
			return ofDay{after: 1}, false, true
		}
		return ofDay{hour: usual[part]}, false, true
	}
	h, free := c.hour, c.half == "" && c.hour >= 1 && c.hour <= 12 && !c.padded
	if c.half != "" {
		if h < 1 || h > 12 {
			return t, false, false
		}
		if h %= 12; c.half == "pm" {
			h += 12
		}
	}
	if part == "" {
		if h == 24 {
			return ofDay{after: 1}, false, true
		}
		return ofDay{hour: h, minute: c.minute, second: c.second}, free && !c.digits, true
	}
	h, after, ok := within(part, h, free)
	return ofDay{h, c.minute, after, c.second}, false, ok && (part != "midnight" || c.minute == 0 && c.second == 0)
}

// vaguely returns a part of the day, and whether it says no hour by itself: "early morning?"
// or "late", which is the night in languages whose night is long.
func vaguely(part string) (of string, vague bool) {
	if part == "late" {
		return "night", true
	}
	return strings.CutSuffix(part, "?")
}

// agree reports whether a part of the day goes together with the clock's own.
func agree(part, own string) bool {
	return part == own || part == "night" && (own == "small" || own == "dawn" || own == "evening" || own == "midnight")
}

// within puts an hour into a part of the day. A free hour may move by half a day. ok is
// false if it does not fit.
func within(part string, h int, free bool) (hour, after int, ok bool) {
	between := func(least, most int) bool { return h >= least && h <= most }
	moved := func(least, most int) {
		if free && between(least, most) {
			h += 12
		}
	}
	switch part {
	case "morning":
		return h, 0, between(0, 11)
	case "noon":
		moved(1, 3)
		return h, 0, between(11, 15)
	case "afternoon":
		moved(1, 8)
		return h, 0, between(12, 20)
	case "evening":
		moved(4, 11)
		if h == 0 || h == 24 || free && h == 12 {
			return 0, 1, true
		}
		return h, 0, between(16, 23)
	case "dawn":
		if free && h == 12 {
			h = 0
		}
		return h, 0, between(0, 6)
	case "midnight":
		return 0, 1, h == 0 || h == 24 || free && h == 12
	}
	moved(6, 11)
	switch {
	case h == 0 || h == 24 || free && h == 12:
		return 0, 1, true
	case between(1, 5) && part == "night":
		return h, 1, true
	case between(1, 5):
		return h, 0, true
	}
	return h, 0, between(17, 23)
}

// likely settles an open hour of a named day: people mean the half in which they are
// awake, and those who count to 24 mean what they wrote.
func likely(c clock, t ofDay) ofDay {
	said := t.hour
	if c.before {
		said++
	}
	if said < 7 && !c.written {
		t.hour += 12
	}
	return t
}
