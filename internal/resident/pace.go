package resident

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// The heap of most bots is a few megabytes, so collecting it at the usual pace takes
// a quarter of the processor time of a busy one and saves next to nothing. It may
// grow further between collections, up to a limit that is still small.
const (
	collectAt = 400      // percent, as GOGC
	small     = 48 << 20 // bytes in use, with stacks
	spare     = 1.75     // of what is in use, where that is more
)

// Pace sets how far memory may grow between two collections, unless the operator has.
func Pace() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(collectAt)
	debug.SetMemoryLimit(small)
	follow()
}

// round is collected with each collection.
type round struct{ _ *round }

// follow raises the limit where more than that is in use, and lowers it again: at a
// limit that is too low, nothing else would be done than collecting.
func follow() {
	runtime.SetFinalizer(&round{}, func(*round) {
		use := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
		metrics.Read(use)
		want := limit(use[0].Value.Uint64() + use[1].Value.Uint64())
		if now := debug.SetMemoryLimit(-1); math.Abs(float64(want-now)) > small/8 {
			debug.SetMemoryLimit(want)
		}
		follow()
	})
}

// limit is what memory may grow to with so many bytes in use.
func limit(use uint64) int64 { return max(small, int64(spare*float64(use))) }
