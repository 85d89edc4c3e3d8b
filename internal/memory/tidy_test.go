package memory

import (
	"context"
	"testing"

	"parley/internal/db/engine"
	"parley/internal/db/postgres/postgrestest"
)

// Each commit leaves a part of the index; after a night it is one, and finds the
// same.
func TestTidyLeavesOnePart(t *testing.T) {
	postgrestest.AboutFiles(t)
	s := sayings(t, "and that was that", 3)
	parts := func() (n int) {
		must(t, s.db.QueryRow("SELECT count(DISTINCT segid) FROM messages_fts_idx").Scan(&n))
		return n
	}
	for i := range 300 {
		m := spoken{key: sayingsKey, role: "user", user: "x:u1", session: "s0", text: "a walrus again " + string(rune('a'+i%26))}
		must(t, s.db.Write(context.Background(), func(tx *engine.Tx) error { return m.insert(tx, i) }))
	}
	before := parts()
	must(t, s.Tidy(t.Context()))
	if before < 2 || parts() != 1 {
		t.Errorf("%d parts are %d", before, parts())
	}
	if hits, err := s.Search(t.Context(), "walrus", 500, 0); err != nil || len(hits) != 300 {
		t.Errorf("%d of 300 are found, %v", len(hits), err)
	}
	must(t, s.Tidy(t.Context()))
}
