package privacy_test

import (
	"testing"

	"parley/internal/db/postgres/postgrestest"
	"parley/internal/memory"
	"parley/internal/memory/cluster"
	"parley/internal/memory/memorytest"
	"parley/internal/text/waittest"
)

var must = waittest.Must

// TestToldInOrder: what two processes tell at once comes in the order of its numbers, so
// that nobody who has done the second passes over the first.
func TestToldInOrder(t *testing.T) {
	t.Parallel()
	url := memorytest.URL(t)
	n, err := cluster.Start(t.Context(), cluster.Options{URL: url, Name: "b"})
	must(t, err)
	t.Cleanup(n.Close)
	s := memorytest.OpenIn(t, t.TempDir(), memory.Options{URL: url, Node: n})
	book := s.Eraser(n.ID, nil, nil)

	raw := postgrestest.Raw(t, url)
	first, err := raw.Begin()
	must(t, err)
	_, err = first.Exec("INSERT INTO node_forget (user_id, session_id, node) VALUES ('p:1', '', 'a')")
	must(t, err)
	told := make(chan error, 1)
	go func() {
		over, err := book.Person(t.Context(), "p:2")
		if err == nil {
			over()
		}
		told <- err
	}()
	waittest.Until(t, "the second waits for the first", func() bool {
		waits := 0
		must(t, raw.QueryRow("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(
			&waits))
		return waits == 1
	})
	must(t, first.Commit())
	must(t, <-told)
	must(t, book.Listen(t.Context()))
	var done bool
	must(t, raw.QueryRow("SELECT EXISTS (SELECT 1 FROM node_forgot f JOIN node_forget o ON o.id = f.told WHERE o.user_id "+
		"= 'p:1' AND f.node = $1)", n.ID()).Scan(&done))
	if !done {
		t.Error("the first was passed over")
	}
}
