package memory

import (
	"slices"
	"testing"

	"parley/internal/db/sqlite"
)

// TestHandoffNumbersGoOn: handoffs of an older file keep their numbers and what the desk was
// sent about them, and a new one gets no number that one may have had that is gone. What is
// recorded of calls stays, and may be unknown from now on.
func TestHandoffNumbersGoOn(t *testing.T) {
	all := Migrations()
	at := slices.IndexFunc(all, func(m sqlite.Migration) bool { return m.Name == "0058_handoff_numbers.sql" })
	db := migrated(t, all[:at])
	const handoff = "INSERT INTO handoffs (user_id, platform, channel, opened_by, opened_at, changed_at, agent) VALUES " +
		"('x:1', 'x', 'c', 'a rule', '0', '0', 'shop')"
	for _, statement := range []string{
		"PRAGMA foreign_keys = ON", handoff, "INSERT INTO handoff_posts VALUES ('n', 1)",
		"INSERT INTO outbox (part, kind, platform, channel, thread, body, nonce, at) VALUES (0, 'notice', 'x', 'c', '', '', 'n', '0')",
		"INSERT INTO tool_calls (decision_id, inbox_id, sequence, call_id, name, arguments, status, at, class) VALUES ('d', " +
			"1, 1, 'c', 'pay', '{}', 'timeout', '0', 'TIMEOUT')",
	} {
		_, err := db.Exec(statement)
		must(t, err)
	}
	must(t, all.Apply(t.Context(), db))
	for _, statement := range []string{"UPDATE handoffs SET state = 'over'", handoff, "UPDATE tool_calls SET status = 'unknown'"} {
		_, err := db.Exec(statement)
		must(t, err)
	}
	got := rowsOf(t, db, "SELECT h.id, h.agent, coalesce(p.nonce, '') FROM handoffs h LEFT JOIN handoff_posts p ON "+
		"p.handoff_id = h.id ORDER BY h.id")
	if len(got) != 2 || !slices.Equal(got[0], []string{"1", "shop", "n"}) || !slices.Equal(got[1], []string{"1002", "shop", ""}) {
		t.Errorf("handoffs %q", got)
	}
	if got := rowsOf(t, db, "SELECT status, class FROM tool_calls"); len(got) != 1 || !slices.Equal(got[0], []string{"unknown", "TIMEOUT"}) {
		t.Errorf("calls %q", got)
	}
}
