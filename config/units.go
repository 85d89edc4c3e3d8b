package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Bytes is a size, written as 200MB; units are powers of 1000.
type Bytes int64

var byteUnits = []struct {
	name string
	size Bytes
}{{"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1}}

// String uses the largest unit that divides the size.
func (b Bytes) String() string {
	for _, u := range byteUnits {
		if b != 0 && b%u.size == 0 {
			return fmt.Sprintf("%d%s", b/u.size, u.name)
		}
	}
	return "0"
}

// parseBytes takes a whole number, with or without a unit.
func parseBytes(text string) (Bytes, error) {
	text = strings.ToUpper(strings.ReplaceAll(text, " ", ""))
	for _, u := range byteUnits {
		if number, ok := strings.CutSuffix(text, u.name); ok {
			n, err := strconv.ParseInt(number, 10, 32)
			return Bytes(n) * u.size, err
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return Bytes(n), err
}

// parseDuration takes Go's form, whole days as 7d, and plain seconds.
func parseDuration(text string) (time.Duration, error) {
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil {
		return time.Duration(seconds) * time.Second, nil
	}
	if number, ok := strings.CutSuffix(text, "d"); ok {
		days, err := strconv.ParseInt(number, 10, 16)
		return time.Duration(days) * day, err
	}
	return time.ParseDuration(text)
}

const day = 24 * time.Hour

// durationText writes 5m instead of time.Duration's 5m0s, and several days as days.
func durationText(d time.Duration) string {
	switch {
	case d > day && d%day == 0:
		return fmt.Sprintf("%dd", d/day)
	case d != 0 && d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d != 0 && d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	}
	return d.String()
}
