package cluster

import (
	"context"
	"testing"
	"time"

	"parley/internal/db/postgres/postgrestest"
	"parley/internal/memory/cluster/nodetest"
	"parley/internal/text/waittest"
)

// TestAnotherClock: a server's clock that was set keeps no node from what is its own, and
// nobody from what a node had that is gone. One node here has its lease by the real clock,
// the other looks at it by one that was set meanwhile.
func TestAnotherClock(t *testing.T) {
	t.Parallel()
	for name, ahead := range map[string]time.Duration{"forward": time.Hour, "back": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := postgrestest.Database(t)
			clocked, set := postgrestest.Clocked(t, url)
			set(ahead)
			wire := nodetest.NewWire(t, url)
			a, b := start(t, wire.URL, "a"), start(t, clocked, "b")
			work := func(had chan<- bool) func(context.Context) error {
				return func(ctx context.Context) error { had <- true; <-ctx.Done(); return nil }
			}
			first, second := make(chan bool, 10), make(chan bool, 10)
			go func() { _ = a.Role(t.Context(), "act", work(first)) }()
			receive(t, "one has it", first)
			go func() { _ = b.Role(t.Context(), "act", work(second)) }()
			until := time.Now().Add(2 * Lease)
			waittest.Until(t, "two leases have passed", func() bool {
				if !a.Alive() || len(second) > 0 {
					t.Fatal("it was taken from a node that lives")
				}
				return time.Now().After(until)
			})
			wire.Stall()
			receive(t, "another has it", second)
			if a.Alive() {
				t.Error("two had it at once")
			}
		})
	}
}

// TestSkew: a node knows how far its machine's clock is from the server's, at once and
// after that was set, and goes by its own as long as they agree.
func TestSkew(t *testing.T) {
	t.Parallel()
	url, set := postgrestest.Clocked(t, postgrestest.Database(t))
	set(-time.Hour)
	n := start(t, url, "a")
	near := func(want time.Duration) bool { return (n.Skew() - want).Abs() < agree }
	if !near(-time.Hour) {
		t.Errorf("a clock that is an hour ahead is %v behind", n.Skew())
	}
	set(agree / 4)
	waittest.Until(t, "they agree", func() bool { return n.Skew() == 0 })
	set(time.Minute)
	waittest.Until(t, "it is behind", func() bool { return near(time.Minute) })
}
