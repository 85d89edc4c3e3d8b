package postgres_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/db/engine"
	"parley/internal/db/postgres"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/text/waittest"
)

// What nobody waits for lets the steps of a message pass on a server that is away: while
// writes that somebody waits for follow each other it is not sent, and after them it is.
func TestRestWaitsForAMoment(t *testing.T) {
	p, url := postgrestest.NewProxy(t, postgrestest.Database(t))
	var counted atomic.Int64
	p.Watch = func(one postgrestest.Trip) {
		if strings.Contains(strings.Join(one.Asked, " "), "counts") {
			counted.Add(1)
		}
	}
	db := open(t, url, postgres.Options{})
	must(t, db.Write(t.Context(), exec("CREATE TABLE counts (n BIGINT)")))
	must(t, db.Write(t.Context(), exec("CREATE TABLE said (n BIGINT)")))
	p.Away.Store(int64(40 * time.Millisecond))
	must(t, db.Held().Write(t.Context(), exec("INSERT INTO said VALUES (0)")))
	// A machine that is busy may make a pause between two writes.
	waittest.Until(t, "ten writes follow each other without a pause", func() bool {
		must(t, db.Settle(t.Context()))
		before := counted.Load()
		db.Later(exec("INSERT INTO counts VALUES (1)"), nil)
		paused := false
		ended := time.Now()
		for range 10 { // takes four times as long as a pause is allowed to be
			paused = paused || time.Since(ended) > 50*time.Millisecond
			must(t, db.Held().Write(t.Context(), exec("INSERT INTO said VALUES (1)")))
			ended = time.Now()
		}
		if n := counted.Load() - before; n > 0 && !paused {
			t.Fatalf("it stood before a message (%d trips)", n)
		}
		return !paused
	})
	waittest.Until(t, "it is done", func() bool {
		var n int
		must(t, db.QueryRow("SELECT count(*) FROM counts").Scan(&n))
		return n > 0
	})
}

// Nor is it put off for good by those that never pause.
func TestRestIsNotPutOffForGood(t *testing.T) {
	db := open(t, postgrestest.Database(t), postgres.Options{})
	must(t, db.Write(t.Context(), exec("CREATE TABLE counts (n BIGINT)")))
	must(t, db.Held().Write(t.Context(), exec("INSERT INTO counts VALUES (0)")))
	var done atomic.Bool
	db.Later(func(tx *engine.Tx) error { done.Store(true); return nil }, nil)
	waittest.Until(t, "it has its turn", func() bool {
		must(t, db.Held().Write(t.Context(), exec("UPDATE counts SET n = n + 1")))
		return done.Load()
	})
}
