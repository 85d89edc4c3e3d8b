package bucket_test

import (
	"fmt"
	"testing"
	"time"

	"parley/internal/app/bucket"
)

// TestBuckets: each name has its own bucket, which begins full, refills steadily and never
// beyond its size; the limit is asked each time.
func TestBuckets(t *testing.T) {
	now, most := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), 6
	b := bucket.New(func() int { return most }, func() time.Time { return now })
	takes := func(name string, want int) {
		t.Helper()
		for i := range want {
			if wait := b.Take(name); wait != 0 {
				t.Fatalf("%s waits %v for number %d", name, wait, i+1)
			}
		}
		if b.Take(name) == 0 {
			t.Fatalf("%s has more than %d", name, want)
		}
	}
	takes("ann", 6)
	takes("bo", 6)
	if wait := b.Take("ann"); wait < 10*time.Second || wait > 11*time.Second {
		t.Errorf("one of six a minute waits %v", wait)
	}
	now = now.Add(b.Take("ann"))
	takes("ann", 1)
	now = now.Add(30 * time.Second)
	takes("ann", 3)
	now = now.Add(time.Hour)
	takes("ann", 6)
	now = now.Add(-time.Hour) // a clock that is put back takes nothing away and gives nothing
	takes("ann", 0)
	now = now.Add(time.Minute)
	takes("ann", 6)
	most = 0
	for range 100 {
		if wait := b.Take("ann"); wait != 0 {
			t.Fatalf("without a limit it waits %v", wait)
		}
	}
}

// TestBucketsForget: names are bounded; when there are too many all begin anew.
func TestBucketsForget(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	b := bucket.New(func() int { return 1 }, func() time.Time { return now })
	for i := range 10_000 {
		b.Take(fmt.Sprint(i))
	}
	if b.Take("0") == 0 {
		t.Fatal("it forgets too early")
	}
	if b.Take("one more") != 0 || b.Take("0") != 0 {
		t.Error("all do not begin anew")
	}
}
