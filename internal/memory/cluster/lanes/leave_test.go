package lanes_test

import (
	"context"
	"testing"

	"parley/internal/chat"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/memory/memorytest"
	"parley/internal/text/waittest"
)

// TestLeavesWithoutWaiting: a process that leaves all that it has does not hold one
// conversation while it waits for another, into which somebody just stores something.
func TestLeavesWithoutWaiting(t *testing.T) {
	t.Parallel()
	url := memorytest.URL(t)
	a := open(t, url, "a")
	for _, c := range []string{"1", "2", "3"} {
		m := message(c)
		m.Key.Channel = c
		_, err := a.Accept(t.Context(), chat.Batch{Platform: "p", Messages: []chat.Message{m}})
		must(t, err)
	}
	raw := postgrestest.Raw(t, url)
	for _, first := range []string{"1", "2", "3"} {
		other, err := raw.Begin()
		must(t, err)
		take := func(c string) {
			if _, err := other.Exec("SELECT 1 FROM node_lanes WHERE platform = 'p' AND channel = $1 FOR SHARE", c); err != nil {
				t.Errorf("%s, after %s: %v", c, first, err)
			}
		}
		take(first)
		left := make(chan error)
		go func() {
			left <- a.Lanes.LeaveIdle(context.Background(), func(chat.Key) bool { return false })
		}()
		waittest.Until(t, "it waits", func() bool {
			n := 0
			must(t, raw.QueryRow("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&n))
			return n == 1
		})
		_, err = other.Exec("SET LOCAL lock_timeout = '300ms'")
		must(t, err)
		for _, c := range []string{"1", "2", "3"} {
			take(c)
		}
		_ = other.Rollback()
		must(t, <-left)
		var n int
		must(t, raw.QueryRow("SELECT count(*) FROM node_lanes").Scan(&n))
		if n > 0 {
			t.Errorf("%d are not left", n)
		}
		_, err = raw.Exec("INSERT INTO node_lanes (platform, channel, thread, owner) SELECT 'p', c, '', $1 FROM unnest(ARRAY['1', '2', '3']) AS c", a.ID())
		must(t, err)
	}
}
