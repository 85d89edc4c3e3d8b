package postgres_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/db/postgres"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/text/waittest"
)

// When the server is gone and its standby takes over, what was promised is there, each
// once, also what nobody waited for to be on a disk; and writing goes on by itself.
func TestFailover(t *testing.T) {
	if testing.Short() {
		t.Skip("two servers")
	}
	p := postgrestest.StartPair(t)
	db := open(t, p.URL, postgres.Options{})
	must(t, db.Write(t.Context(), exec("CREATE TABLE said (id BIGINT PRIMARY KEY)")))
	must(t, db.Write(t.Context(), exec("CREATE TABLE sent (id BIGINT PRIMARY KEY, n BIGINT)")))
	const lanes = 20
	var done atomic.Bool
	var told [lanes]int64
	var refused atomic.Int64
	var all sync.WaitGroup
	var longest atomic.Int64
	for lane := range lanes {
		all.Go(func() {
			for id := int64(lane); !done.Load(); id += lanes {
				began := time.Now()
				for db.Write(context.Background(), exec("INSERT INTO said VALUES (?) ON CONFLICT DO NOTHING", id)) != nil {
					refused.Add(1) // the platform brings it again
				}
				for db.Soon(context.Background(), exec("INSERT INTO sent VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET n = 1", id)) != nil {
					refused.Add(1)
				}
				took := int64(time.Since(began))
				for before := longest.Load(); took > before && !longest.CompareAndSwap(before, took); before = longest.Load() {
				}
				told[lane]++
			}
		})
	}
	waittest.Take(t.Context(), 300*time.Millisecond)
	began := time.Now()
	p.Fail()
	p.Promote(t)
	promoted := time.Since(began)
	waittest.Take(t.Context(), 300*time.Millisecond)
	done.Store(true)
	all.Wait()
	var said, sent, want int64
	for _, n := range told {
		want += n
	}
	must(t, db.QueryRow("SELECT count(*) FROM said").Scan(&said))
	must(t, db.QueryRow("SELECT count(*) FROM sent").Scan(&sent))
	t.Logf("promotion took %v, the longest write %v; %d writes refused; %d of %d said, %d sent", promoted,
		time.Duration(longest.Load()), refused.Load(), said, want, sent)
	if said != want || sent != want || time.Duration(longest.Load()) > promoted+20*time.Second {
		t.Error("a promise is broken")
	}
}
