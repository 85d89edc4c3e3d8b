package console_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/db/sqlite"
)

// crowd stores two messages for each of some turns, in sessions of 20 turns in at most 2,000
// places, spread evenly over the last days.
func (s *site) crowd(turns, days int) {
	s.t.Helper()
	if s.store.File.Path() == "" {
		s.t.Skip("fills a file")
	}
	db := sqlite.Raw(s.store.File.Path(), "_busy_timeout=60000")
	defer func() { _ = db.Close() }()
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
			SELECT printf('%08x-0000-4000-8000-000000000000', i), 'telegram', i % 2000, CASE WHEN i > ` + fmt.Sprint(turns/20-100) + ` THEN 'active' ELSE 'archived' END, ` + strings.ReplaceAll(at, "- i)", "- i * 20)") + `, '', '', hex(randomblob(400)) FROM n WHERE true ON CONFLICT DO NOTHING`,
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

// bigPages are what is loaded of a site with much in it.
var bigPages = map[string]string{
	"overview": "/", "month": "/?range=month", "conversations": "/conversations", "conversation": "/conversation?place=telegram:990",
	"sessions": "/sessions", "archived": "/sessions?status=archived&page=500",
	"session": fmt.Sprintf("/sessions/%08x-0000-4000-8000-000000000000", 24_990),
	"rare":    "/sessions?q=499123", "common": "/sessions?q=please+order", "playbook": "/playbook",
}

// BenchmarkMillion loads each page with a million messages, from three months and from one
// day.
func BenchmarkMillion(b *testing.B) {
	for _, days := range []int{90, 1} {
		s := newSite(b, sampleViews(), echo)
		s.crowd(500_000, days)
		s.logIn()
		for name, path := range bigPages {
			b.Run(fmt.Sprintf("%s/%ddays", name, days), func(b *testing.B) {
				for b.Loop() {
					s.get(path)
				}
			})
		}
	}
}

// The benchmark's million is tried with a few: what it stores is found.
func TestMillion(t *testing.T) {
	s := newSite(t, sampleViews(), echo)
	s.crowd(200, 1)
	s.logIn()
	if page := s.get("/sessions?q=order+123"); !strings.Contains(page, "sessions/00000006-0000-4000-8000-000000000000") {
		t.Errorf("not found: %s", page)
	}
}
