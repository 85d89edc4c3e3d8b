package cluster

import (
	"net"
	"net/url"
	"testing"
	"time"

	"parley/internal/db/postgres/postgrestest"
	"parley/internal/memory/cluster/nodetest"
	"parley/internal/text/waittest"
)

// silent puts a server before that of a URL which takes connections and says nothing, as a
// machine that is gone does.
func silent(t *testing.T, server string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	u, err := url.Parse(server)
	must(t, err)
	u.Host = l.Addr().String() + "," + u.Host
	return u.String()
}

// TestFirstServerIsSilent: where database.url names two servers, and the machine of the
// first is gone, a node lives by the other one, and gives up what it has when it ends.
func TestFirstServerIsSilent(t *testing.T) {
	t.Parallel()
	direct := postgrestest.Database(t)
	n := start(t, silent(t, nodetest.NewWire(t, direct).URL), "a")
	until := time.Now().Add(3 * Lease)
	waittest.Until(t, "it lives for some leases", func() bool {
		if !n.Alive() {
			t.Error("it lost its lease")
		}
		return time.Now().After(until)
	})
	n.Close()
	var left int
	must(t, postgrestest.Raw(t, direct).QueryRow("SELECT count(*) FROM node_leases").Scan(&left))
	if left > 0 {
		t.Error("its lease is still there")
	}
}
