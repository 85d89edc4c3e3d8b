package postgres_test

import (
	"errors"
	"sync"
	"testing"

	"parley/internal/db/engine"
	"parley/internal/db/postgres"
	"parley/internal/db/postgres/postgrestest"
)

// A write that is lost is seen at once, even where the next connection is made: a server whose
// disk is full may take each, and die of each write. It is over when one was stored.
func TestLostWriteIsSeenAtOnce(t *testing.T) {
	p, url := postgrestest.NewProxy(t, postgrestest.Database(t))
	var mu sync.Mutex // guards seen
	var seen []string
	see := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		what := "stored"
		if errors.Is(err, engine.ErrLost) {
			what = "lost"
		} else if err != nil {
			what = err.Error()
		}
		if len(seen) == 0 || seen[len(seen)-1] != what {
			seen = append(seen, what)
		}
	}
	db := open(t, url, postgres.Options{See: see})
	must(t, db.Write(t.Context(), exec("CREATE TABLE things (id BIGINT PRIMARY KEY)")))
	for _, write := range []func(fn func(*engine.Tx) error) error{
		func(fn func(*engine.Tx) error) error { return db.Write(t.Context(), fn) },
		func(fn func(*engine.Tx) error) error {
			return db.Bare(t.Context(), func(tx *engine.Tx) error { return tx.Atomic(func() error { return fn(tx) }) })
		},
	} {
		mu.Lock()
		seen = nil
		mu.Unlock()
		cut := false
		_ = write(func(tx *engine.Tx) error {
			if !cut {
				cut = true
				p.Cut()
			}
			_, err := tx.Exec("INSERT INTO things SELECT coalesce(max(id), 0) + 1 FROM things")
			return err
		})
		must(t, db.Write(t.Context(), exec("INSERT INTO things SELECT coalesce(max(id), 0) + 1 FROM things")))
		mu.Lock()
		if len(seen) != 2 || seen[0] != "lost" || seen[1] != "stored" {
			t.Errorf("seen: %q", seen)
		}
		mu.Unlock()
	}
}
