package console_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"
)

// million stores 1,000,000 messages in 500,000 turns of 25,000 sessions in 2,000 places,
// spread evenly over the last days.
func (s *site) million(days int) {
	s.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+s.store.File.Path()+"?_busy_timeout=60000")
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	const turns = 500_000
	end := time.Now().Unix() - 1
	at := fmt.Sprintf("strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', %d - (%d - i) * %d.0 / %d, 'unixepoch')", end, turns, days*86400, turns)
	numbers := func(n int) string {
		return fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) ", n)
	}
	session := "printf('%08x-0000-4000-8000-000000000000', i / 20)"
	words := `'Please look at order ' || i || ' and tell me when the ' || CASE i % 7 WHEN 0 THEN 'blue mug' WHEN 1 THEN 'garden chair' ELSE 'parcel' END || ' arrives at my door in the city.'`
	detail := `'{"why":["rule refund_policy applies"],"playbook":{"matches":[{"guideline_id":"refund_policy"}],"top_matches":[{"guideline_id":"refund_policy"}]},"steps":[{"kind":"model","name":"test","start":2,"took":400,"tokens":700}]}'`
	for _, q := range []string{
		"DROP TRIGGER messages_fts_insert", "DROP TRIGGER messages_participant",
		strings.ReplaceAll(numbers(turns/20+1), "SELECT 1 UNION", "SELECT 0 UNION") +
			`INSERT INTO sessions (id, platform, channel, status, created_at, last_activity, expires_at, summary)
			SELECT printf('%08x-0000-4000-8000-000000000000', i), 'telegram', i % 2000, CASE WHEN i > 24900 THEN 'active' ELSE 'archived' END, ` + strings.ReplaceAll(at, "- i)", "- i * 20)") + `, '', '', hex(randomblob(400)) FROM n WHERE true ON CONFLICT DO NOTHING`,
		numbers(turns) + `INSERT INTO messages (session_id, platform, channel, role, user_id, name, message_id, content, at)
			SELECT ` + session + `, 'telegram', i / 20 % 2000, CASE r WHEN 0 THEN 'user' ELSE 'assistant' END, 'telegram:' || i / 20 % 2000, 'Alice', CASE r WHEN 0 THEN i ELSE '' END, ` + words + `, ` + at + `
			FROM n, (SELECT 0 AS r UNION SELECT 1) ORDER BY i, r`,
		numbers(turns) + `INSERT INTO decisions (id, inbox_id, session_id, platform, channel, user_id, outcome, model, total_tokens, model_calls, duration_ms, detail, at)
			SELECT lower(hex(randomblob(16))), i, ` + session + `, 'telegram', i / 20 % 2000, 'telegram:' || i / 20 % 2000, CASE i % 500 WHEN 0 THEN 'failed' ELSE 'answered' END, 'test', 700, 1, 200 + i * 37 % 1800, ` + detail + `, ` + at + ` FROM n`,
		"INSERT INTO messages_fts (rowid, words) SELECT row, words FROM messages_said ORDER BY id", "PRAGMA wal_checkpoint(TRUNCATE)",
	} {
		if _, err := db.Exec(q); err != nil {
			s.t.Fatal(err, q)
		}
	}
	var n int
	if err := db.QueryRow("SELECT count(*) FROM messages").Scan(&n); err != nil || n != 2*turns {
		s.t.Fatal(n, err)
	}
}

// BenchmarkMillion loads each page with a million messages, from three months and from one
// day.
func BenchmarkMillion(b *testing.B) {
	for _, days := range []int{90, 1} {
		s := newSite(b, sampleViews(), echo)
		s.million(days)
		s.logIn()
		id := fmt.Sprintf("%08x-0000-4000-8000-000000000000", 24_990)
		for name, path := range map[string]string{
			"overview": "/", "month": "/?range=month", "conversations": "/conversations", "conversation": "/conversation?place=telegram:990",
			"sessions": "/sessions",
			"archived": "/sessions?status=archived&page=500", "session": "/sessions/" + id, "rare": "/sessions?q=499123",
			"common":   "/sessions?q=please+order",
			"playbook": "/playbook",
		} {
			b.Run(fmt.Sprintf("%s/%ddays", name, days), func(b *testing.B) {
				for b.Loop() {
					s.get(path)
				}
			})
		}
	}
}
