// Package waittest is how tests wait: for something to come true, with a
// deadline that only a hang reaches, and for processor time rather than the
// clock on the wall. It never waits for a fixed time but in a synctest bubble,
// where that costs none.
package waittest

import (
	"context"
	"flag"
	"strconv"
	"testing"
	"testing/synctest"
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

// Within reports whether ok came to hold before the time was over.
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

// Pass lets d of a synctest bubble's time pass, and all that is due in it
// happen. Outside a bubble it panics: there it would be a guess.
func Pass(d time.Duration) {
	synctest.Wait()
	time.Sleep(d)
	synctest.Wait()
}

// Take plays work that takes d, as that of a slow server does, and ends sooner
// with ctx. It is for fakes; a test that waits for something uses Until.
func Take(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Abreast lets n tests of a package run at once where the command line does
// not say how many. It is called in TestMain, where tests wait for processes
// and timeouts rather than compute.
func Abreast(n int) {
	flag.Parse()
	said := false
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == "test.parallel" })
	if !said {
		_ = flag.Set("test.parallel", strconv.Itoa(n)) // it is a number
	}
}

// Must ends a test with an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Second returns the error of two results, for Must.
func Second[T any](_ T, err error) error { return err }
