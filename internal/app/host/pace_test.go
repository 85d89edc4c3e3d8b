package host

import (
	"runtime"
	"runtime/debug"
	"testing"

	"parley/internal/text/waittest"
)

// TestPaceFollowsLiveHeap: a small heap may grow by megabytes, a large one by more than
// half.
func TestPaceFollowsLiveHeap(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	Pace()
	pace := func() int { n := debug.SetGCPercent(100); debug.SetGCPercent(n); return n }
	if n := pace(); n != startAt {
		t.Errorf("it begins with %d", n)
	}
	large := make([]byte, 100<<20)
	settles := func(ok func(percent int) bool) func() bool {
		return func() bool { runtime.GC(); return ok(pace()) }
	}
	waittest.Until(t, "much is in use", settles(func(n int) bool { return n == 100*spare }))
	runtime.KeepAlive(large)
	large = nil
	waittest.Until(t, "little again", settles(func(n int) bool { return n > 200 }))
}

// TestOperatorSetsThePace: the operator's environment wins.
func TestOperatorSetsThePace(t *testing.T) {
	before := debug.SetGCPercent(77)
	defer debug.SetGCPercent(before)
	t.Setenv("GOMEMLIMIT", "1GiB")
	Pace()
	if n := debug.SetGCPercent(77); n != 77 {
		t.Errorf("it was set to %d", n)
	}
}
