package postgres_test

import (
	"net"
	"strings"
	"testing"
	"time"

	"parley/internal/db/postgres"
	"parley/internal/db/postgres/postgrestest"
)

// TestFirstServerIsSilent: where two servers are named, and the machine of the first is
// gone without a word, writing goes on with the other before anybody is told of an error.
func TestFirstServerIsSilent(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	p, url := postgrestest.NewProxy(t, postgrestest.Database(t))
	db := open(t, strings.Replace(url, "@", "@"+l.Addr().String()+",", 1), postgres.Options{})
	must(t, db.Write(t.Context(), exec("CREATE TABLE counts (id BIGINT PRIMARY KEY)")))
	p.Cut()
	began := time.Now()
	must(t, db.Write(t.Context(), exec("INSERT INTO counts VALUES (1)")))
	t.Logf("after %v", time.Since(began)) // a write that takes five seconds fails
}

// TestServerHangs: what waits for a server that hangs, and all that comes after, goes on with
// its standby once the connections are cut.
func TestServerHangs(t *testing.T) {
	if testing.Short() {
		t.Skip("two servers")
	}
	t.Parallel()
	p := postgrestest.StartPair(t)
	db := open(t, p.URL, postgres.Options{})
	must(t, db.Write(t.Context(), exec("CREATE TABLE counts (id BIGINT PRIMARY KEY)")))
	p.Hang(t)
	wrote := make(chan error, 1)
	go func() { wrote <- db.Write(t.Context(), exec("INSERT INTO counts VALUES (1)")) }()
	p.Promote(t)
	began := time.Now()
	db.Cut()
	must(t, <-wrote)
	var n int
	must(t, db.QueryRow("SELECT count(*) FROM counts").Scan(&n))
	if took := time.Since(began); n != 1 || took > 20*time.Second {
		t.Errorf("%d rows after %v", n, took)
	}
}
