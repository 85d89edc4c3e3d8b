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
	t, err := time.Parse(stampLayout, s)
	if err != nil {
		return time.Time{}
	}
	return t
}
