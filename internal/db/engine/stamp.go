package engine

import "time"

// stamp is the one time format of the database: RFC 3339 UTC with
// milliseconds, of fixed width so that it sorts as text.
const stampLayout = "2006-01-02T15:04:05.000Z"

// Stamp writes a time as rows hold it; the zero time is "".
func Stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(stampLayout)
}

// ParseStamp reads what Stamp wrote; anything else is the zero time.
func ParseStamp(s string) time.Time {
	if t, ok := plainStamp(s); ok {
		return t
	}
	t, err := time.Parse(stampLayout, s)
	if err != nil {
		return time.Time{}
	}
	return t
}

// plainStamp reads a stamp with a day that every month has, in a fifth of the time: a question
// reads a thousand.
func plainStamp(s string) (t time.Time, ok bool) {
	const digits = "0000-00-00T00:00:00.000Z"
	if len(s) != len(digits) {
		return t, false
	}
	var parts [7]int // from the year to the milliseconds
	at := 0
	for i := range len(digits) {
		switch c := s[i]; {
		case digits[i] != '0':
			if c != digits[i] {
				return t, false
			}
			at++
		case c < '0' || c > '9':
			return t, false
		default:
			parts[at] = 10*parts[at] + int(c-'0')
		}
	}
	year, month, day, hour, minute, second, milli := parts[0], parts[1], parts[2], parts[3], parts[4], parts[5], parts[6]
	if month < 1 || month > 12 || day < 1 || day > 28 || hour > 23 || minute > 59 || second > 59 {
		return t, false
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, milli*int(time.Millisecond), time.UTC), true
}
