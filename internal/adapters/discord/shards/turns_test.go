package shards

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestTurnOutlastsItsShard: a session that was begun has its five seconds, also where its
// shard is another process's a moment later. What only waited for its turn ends at once, and
// everything ends with the adapter.
func TestTurnOutlastsItsShard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, end := context.WithCancel(t.Context())
		turns, began := NewTurns(all, 5*time.Second, nil), time.Now()
		var work sync.WaitGroup
		shard, yield := context.WithCancel(all)
		if err := turns.In(shard, 0, &work, func() error { return nil }); err != nil {
			t.Fatal(err)
		}
		waits, leave := context.WithTimeout(all, time.Second)
		defer leave()
		yield()
		if err := turns.In(waits, 0, &work, func() error { return nil }); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("while it is somebody else's turn: %v", err)
		}
		if err := turns.In(all, 0, &work, func() error { return nil }); err != nil || time.Since(began) != 5*time.Second {
			t.Errorf("the next began after %v: %v", time.Since(began), err)
		}
		end()
		work.Wait()
		if time.Since(began) != 5*time.Second {
			t.Errorf("a turn lasted %v after its end", time.Since(began)-5*time.Second)
		}
	})
}
