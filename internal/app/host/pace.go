package host

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// The heap of most bots is a few megabytes, so collecting it at the usual pace, whenever
// it has doubled, takes a quarter of the processor time of a busy one and saves next to
// nothing. What has died may take room bytes before it is collected, and spare of what
// is in use where that is more.
const (
	startAt = 400     // percent, as GOGC, until something was collected
	room    = 8 << 20 // bytes
	spare   = 0.6
)

func init() { // what packages make when the program begins is megabytes, too, and stays
	if !set() {
		debug.SetGCPercent(startAt)
	}
}

// set reports whether the operator has set the pace.
func set() bool { return os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" }

// Pace sets how far memory may grow between two collections, unless the operator has.
func Pace() {
	few()
	if set() {
		return
	}
	debug.SetGCPercent(startAt)
	follow(startAt)
}

// round is collected with each collection.
type round struct{ _ *round }

// follow keeps the pace as it should be with what is in use after each collection.
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

// percent is the pace with so many bytes in use, as GOGC.
func percent(use uint64) float64 {
	return 100 * max(spare, room/float64(max(use, 1<<20)))
}
