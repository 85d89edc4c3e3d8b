package cluster

import (
	"context"
	"testing"

	"parley/internal/db/postgres/postgrestest"
)

// TestNobodysRole: a role that a node does not want any more is free although its row still
// names that node: it was just being taken as it was given up, or the word that it is given
// up did not reach the server. So is a part of a share.
func TestNobodysRole(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	a, b := start(t, url, "a"), start(t, url, "b")
	rows := postgrestest.Raw(t, url)
	for _, statement := range []string{"INSERT INTO node_roles (name, owner) VALUES ('left', $1), ('parts: 0', $1)",
		"INSERT INTO node_takers (share, node) VALUES ('parts', $1)"} {
		_, err := rows.Exec(statement, a.ID())
		must(t, err)
	}
	got := make(chan bool, 3)
	work := func(ctx context.Context) error { got <- true; <-ctx.Done(); return nil }
	go func() { _ = b.Role(t.Context(), "left", work) }()
	go func() {
		_ = b.Share(t.Context(), "parts", 2, func(ctx context.Context, _ int) error { return work(ctx) })
	}()
	for range 3 {
		receive(t, "the other node has it", got)
	}
}
