package main

import (
	"context"
	"sync"
	"testing"
	"time"

	"parley/internal/db/postgres/postgrestest"
	"parley/internal/text/waittest"
)

// TestClusterFailover: the server is gone, and its synchronous standby takes over. Nothing
// is lost, what comes twice was on its way just then, and where the machine has nothing
// else to do nobody waits for longer than that takes and two seconds.
func TestClusterFailover(t *testing.T) {
	t.Parallel()
	underLoads(t, func(t *testing.T, l saying) {
		failsOver(t, l, 2*time.Second, func(p *postgrestest.Pair, promote func()) { p.Fail(); promote() })
	})
}

// TestClusterServerHangs: the server says nothing any more, and ends nothing; its standby
// takes over, and so do all processes, long before somebody ends the first for good.
func TestClusterServerHangs(t *testing.T) {
	t.Parallel()
	thorough(t)
	const hangs = 14 * time.Second
	failsOver(t, saying{lanes: 30, each: 6, pace: 50 * time.Millisecond}, hangs/2+time.Second, func(p *postgrestest.Pair, promote func()) {
		p.Hang(t)
		promote()
		waittest.Take(t.Context(), hangs)
		p.Fail()
	})
}

// failsOver has a server fail in some way, and judges how long people wait beyond what its
// standby takes.
func failsOver(t *testing.T, l saying, goal time.Duration, fail func(p *postgrestest.Pair, promote func())) {
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
	f.owning(t)
	var took time.Duration
	got := f.trouble(t, l, func() {
		began := time.Now()
		fail(p, func() {
			p.Promote(t)
			took = time.Since(began)
			// What somebody else may have to repeat. That a part begins to be sent is not waited
			// for to be on the disk of the standby.
			onTheirWay := flying(t, postgrestest.Raw(t, p.Second()), "ready", "started")
			f.mu.Lock()
			defer f.mu.Unlock()
			f.flying = append(f.flying, onTheirWay...)
		})
	})
	t.Logf("promotion took %v", took)
	got.within(t, took+goal)
}
