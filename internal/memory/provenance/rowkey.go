package provenance

import (
	"fmt"
	"hash/fnv"
	"time"

	"parley/internal/db/engine"
)

// firstKey is the least key that RowKey makes. What is less is the id of a row, as the control
// page and buttons of earlier versions have it, or a number.
const firstKey = 1 << 32

// RowKey returns the key of a row as buttons have it: made of its number, its kind and when it
// was made, so that it never means another row of that number, and says nothing of how many
// rows others have.
func RowKey(kind string, number int64, made time.Time) int64 {
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%s %d %s", kind, number, engine.Stamp(made)) // never fails
	return number*firstKey + int64(h.Sum32())
}

// Keyed returns the number in a key that RowKey made; ok is false for an id or a number.
func Keyed(key int64) (number int64, ok bool) { return key / firstKey, key >= firstKey }

// Numbered returns the number that n is or holds.
func Numbered(n int64) int64 {
	if number, ok := Keyed(n); ok {
		return number
	}
	return n
}

// Fits reports whether n, which is a number or was made by RowKey, means the row of a key.
func Fits(n, key int64) bool {
	_, keyed := Keyed(n)
	return !keyed || n == key
}
