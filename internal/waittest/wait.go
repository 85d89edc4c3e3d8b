// Package waittest is how tests wait: for something to come true, with a
// deadline that only a hang reaches, and for processor time rather than the
// clock on the wall. It never sleeps for a fixed time.
package waittest

import (
	"testing"
	"time"
)

const (
	patience = time.Minute // a busy machine takes its time
	pace     = 2 * time.Millisecond
)

// Until returns once ok holds, and fails the test when it does not within a
// minute. ok is called again and again, from the test's goroutine.
func Until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	if !Within(patience, ok) {
		t.Fatalf("waited %v in vain: %s", patience, what)
	}
}

// Within says whether ok came to hold before the time was over.
func Within(limit time.Duration, ok func() bool) bool {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for end := time.Now().Add(limit); !ok(); <-tick.C {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}
