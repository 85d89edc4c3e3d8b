package host

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// The heap of most bots is a few megabytes. Collecting it whenever it has doubled, as Go
// does, takes a quarter of a busy bot's processor time and saves next to nothing. So
// garbage may grow to room bytes, or to spare times the live heap if that is more.
const (
	startAt = 400     // percent, as GOGC, before the first collection
	room    = 8 << 20 // bytes
	spare   = 0.6
)

func init() { // initialization allocates megabytes that stay
	if !set() {
		debug.SetGCPercent(startAt)
	}
}

// set reports whether the operator set the pace.
func set() bool { return os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" }

// Pace sets how far memory may grow between collections, unless the operator has.
func Pace() {
	few()
	if set() {
		return
	}
	debug.SetGCPercent(startAt)
	follow(startAt)
}

// round is freed by each collection.
type round struct{ _ *round }

// follow adjusts the pace to the live heap after each collection.
func follow(now float64) {
	runtime.SetFinalizer(&round{}, func(*round) {
		use := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
		metrics.Read(use)
		if want := percent(use[0].Value.Uint64() + use[1].Value.Uint64()); math.Abs(want-now) > now/8 {
			debug.SetGCPercent(int(want))
			now = want
		}
		follow(now)
	})
}

// percent returns the pace for a live heap of use bytes, as GOGC.
func percent(use uint64) float64 {
	return 100 * max(spare, room/float64(max(use, 1<<20)))
}
