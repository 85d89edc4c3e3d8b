package waittest

import (
	"slices"
	"time"
)

// Percentile is what p of 100 did not exceed, in milliseconds. It sorts took,
// which must not be empty; p is below 100.
func Percentile(took []time.Duration, p int) float64 {
	slices.Sort(took)
	return float64(took[len(took)*p/100].Microseconds()) / 1000
}
