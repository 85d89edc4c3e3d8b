package sqlite_test

import (
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"parley/internal/db/engine"
	"parley/internal/text/waittest"
)

// Those who ask at the same time read once, unless the table has changed since the reading
// began: then what is read may be older than what they were told.
func TestKeptReadsOnce(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "x.db"))
	kept := engine.Keep[string, int64](db, "roles")
	var reads, asking atomic.Int64
	going := make(chan struct{})
	var all sync.WaitGroup
	ask := func(least int64) {
		all.Go(func() {
			asking.Add(1)
			got, err := kept.Get("a", func() (int64, error) { n := reads.Add(1); <-going; return n, nil })
			if got < least || err != nil {
				t.Errorf("got %d, %v, want %d", got, err, least)
			}
		})
	}
	ask(1)
	waittest.Until(t, "the first reads", func() bool { return reads.Load() == 1 })
	for range 5 {
		ask(1)
	}
	waittest.Until(t, "all ask", func() bool { return asking.Load() == 6 })
	must(t, db.Write(t.Context(), func(tx *engine.Tx) error { tx.Changed("roles"); return nil }))
	ask(2)
	waittest.Until(t, "the one after the change reads", func() bool { return reads.Load() >= 2 })
	close(going)
	all.Wait()
	if n := reads.Load(); n != 2 {
		t.Errorf("read %d times", n)
	}
}
