package resident

import (
	"runtime"
	"runtime/debug"
	"testing"

	"parley/internal/waittest"
)

// TestLimitFollowsWhatIsInUse: what a large index takes does not make the collector
// run all the time, and when it is gone the limit is small again.
func TestLimitFollowsWhatIsInUse(t *testing.T) {
	percent, before := debug.SetGCPercent(100), debug.SetMemoryLimit(-1)
	defer func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(before) }()
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	Pace()
	if n := debug.SetMemoryLimit(-1); n != small {
		t.Errorf("it begins with %d", n)
	}
	large := make([]byte, 100<<20)
	settles := func(ok func(limit int64) bool) func() bool {
		return func() bool { runtime.GC(); return ok(debug.SetMemoryLimit(-1)) }
	}
	waittest.Until(t, "more than is in use", settles(func(n int64) bool { return n >= 150<<20 }))
	runtime.KeepAlive(large)
	large = nil
	waittest.Until(t, "little again", settles(func(n int64) bool { return n < 60<<20 }))
}

// TestOperatorSetsThePace: what the environment says is left alone.
func TestOperatorSetsThePace(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Setenv("GOMEMLIMIT", "1GiB")
	Pace()
	if n := debug.SetMemoryLimit(-1); n != before {
		t.Errorf("it was set to %d", n)
	}
}
