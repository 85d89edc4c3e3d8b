package postgres

import (
	"database/sql"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// The farther a server is the more read from it, up to a bound; a trip that took long once
// changes nothing.
func TestNear(t *testing.T) {
	db := sql.OpenDB(stdlib.GetConnector(pgx.ConnConfig{}))
	defer func() { _ = db.Close() }()
	n := &near{readers: db}
	for _, c := range []struct {
		trip  time.Duration
		times int
		want  int
	}{
		{time.Millisecond, 1, 4}, {time.Second, 1, 10}, {time.Millisecond, 1, 4},
		{50 * time.Millisecond, 200, 13}, {200 * time.Millisecond, 200, 16}, {2 * time.Millisecond, 1, 4},
	} {
		for range c.times {
			n.took(c.trip)
		}
		if got := db.Stats().MaxOpenConnections; got != c.want {
			t.Errorf("%d times %v: %d readers, want %d", c.times, c.trip, got, c.want)
		}
	}
	(*near)(nil).took(time.Second)
}
