package memory

import (
	"testing"

	"parley/internal/db/postgres/postgrestest"
	"parley/internal/db/sqlite/plantest"
)

// No query reads all of a table that grows with what people say, whoever waits
// for it: not once in a minute, not for a message, not for an edit.
func TestQueriesReadNoWholeTables(t *testing.T) {
	postgrestest.AboutFiles(t)
	s := open(t, Options{})
	must(t, second(s.Rewind(t.Context(), s.now()))) // has tables of its own
	plantest.Check(t, s.db, []string{".", "facts", "sessions", "agenda", "access", "datadir", "../db/chunked",
		"provenance", "../app", "../command", "../app/cli", "../app/console", "factsfile", "handoff", "embeddings",
		"../agent/scheduled", "../tools/guards", "../agent/handover"},
		[]string{"messages", "sessions", "session_texts", "decisions", "tool_calls", "guard_calls", "inbox", "outbox",
			"participants", "usage", "overheard",
			"key_facts", "fact_history", "fact_vectors", "log_entries", "tasks", "reminders", "people", "membership", "handoffs",
			"handoff_posts", "message_vectors"},
		map[string]string{
			"SELECT s.id, s.platform, s.channel, s.thread, s.user_id":  "SessionsByAge: the newest first, until there are enough",
			"WITH open AS (SELECT status, count(*) AS n FROM sessions": "SessionCounts: a number for an operator who asks, from an index alone",
			"rewind.go": "a copy that nobody else reads",
			// Long work looks for its rows on a reader, where nobody waits for it.
			"SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY subject":  "PruneFacts, in the night",
			"SELECT user_id FROM messages UNION":                                  "AfterRestore, once after a copy was put back",
			"SELECT id FROM outbox WHERE state IN ('ready', 'started') AND inbox": "ForgetPerson",
			"DELETE FROM outbox WHERE state NOT IN ('ready', 'started') AND (pl":  "ForgetPerson, whose person waits for it; it has a few days' rows",
		})
}
