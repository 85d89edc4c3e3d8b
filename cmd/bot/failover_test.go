package main

import (
	"context"
	"sync"
	"testing"
	"time"

	"parley/internal/postgres/postgrestest"
	"parley/internal/waittest"
)

// TestClusterFailover: the server is gone, and its synchronous standby takes over. Nothing
// is lost, what comes twice was on its way just then, and where the machine has nothing
// else to do nobody waits for longer than that takes and two seconds.
func TestClusterFailover(t *testing.T) {
	t.Parallel()
	underLoads(t, failsOver)
}

func failsOver(t *testing.T, l saying) {
	waittest.Alone(t)
	p := postgrestest.StartPair(t)
	w := newWorld(t)
	w.llm.Quiet()
	f := &fleet{world: w, url: p.URL, lives: map[string]*lifetime{}}
	for range 3 {
		f.join(t, f.url)
	}
	f.rows = postgrestest.Raw(t, f.url)
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { f.follow(ctx) })
	t.Cleanup(func() { cancel(); done.Wait() })
	eventually(t, "all live and one polls", func() bool { return f.alive() == 3 && len(f.tg.Calls("getUpdates")) > 0 })
	var took time.Duration
	got := f.trouble(t, l, func() {
		began := time.Now()
		p.Fail()
		p.Promote(t)
		took = time.Since(began)
		onTheirWay := flying(t, f.rows) // which somebody else may have to repeat
		f.mu.Lock()
		defer f.mu.Unlock()
		f.flying = append(f.flying, onTheirWay...)
	})
	t.Logf("promotion took %v", took)
	got.within(t, took+2*time.Second)
}
