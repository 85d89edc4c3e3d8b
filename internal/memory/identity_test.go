package memory

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/db/sqlite"
	"parley/internal/memory/datadir"
	"parley/internal/text/ranking"
)

// oldDatabase returns a file of schema 8 with a little of everything in it, as an
// earlier version left it.
func oldDatabase(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "data")
	must(t, os.Mkdir(dir, 0o700))
	db := sqlite.Raw(filepath.Join(dir, datadir.Name), asWriter)
	must(t, Migrations()[:8].Apply(t.Context(), db))
	for _, q := range []string{
		"INSERT INTO inbox (id, platform, channel, message_id, state, body, at) VALUES (7, 'p', 'c', 'm7', 'done', '', " +
			"'2026-01-01T00:00:00.000Z')",
		`INSERT INTO inbox (id, platform, channel, message_id, body, preview, at) VALUES (8, 'p', 'c', 'm8', '{"id":"m8","key":{"Platform":"p","Channel":"c"},"from":{"ID":"p:1"},"text":"hi","at":"2026-01-01T00:00:00Z"}', 'pre', '2026-01-01T00:00:00.000Z')`,
		"INSERT INTO steps VALUES (8, 1, 'tool', 'call_1', 'done', 'x')",
		`INSERT INTO outbox (id, inbox_id, part, kind, platform, channel, body, nonce, state, unknown, at) VALUES (5, 12, 0, 'answer', 'p', 'c', '{"text":"hello"}', 'thenonce', 'ready', 1, '2026-01-01T00:00:00.000Z')`,
		"INSERT INTO outbox (id, part, kind, platform, channel, body, nonce, state, at) VALUES (6, 0, 'notice', 'p', 'c', " +
			"'', 'other', 'sent', '2026-01-01T00:00:00.000Z')",
		"INSERT INTO sessions (id, platform, channel, created_at, last_activity, expires_at, summary, summarized_at) VALUES " +
			"('s1', 'p', 'c', 'x', 'x', 'y', 'sum', 40)",
		"INSERT INTO sessions (id, platform, channel, created_at, last_activity, expires_at, summarized_at) VALUES ('s2', " +
			"'p', 'd', 'x', 'x', 'y', 90)",
		"INSERT INTO decisions (id, inbox_id, platform, channel, user_id, category, at) VALUES ('d1', 30, 'p', 'c', 'p:1', 'RESPONSE', 'x')",
		"INSERT INTO tool_calls (decision_id, inbox_id, sequence, call_id, name, arguments, status, at) VALUES ('d1', 31, " +
			"1, 'c', 'n', '{}', 'success', 'x')",
	} {
		_, err := db.Exec(q)
		must(t, err)
	}
	for i := range 20 {
		_, err := db.Exec("INSERT INTO messages (id, session_id, platform, channel, message_id, role, user_id, name, "+
			"content, at) VALUES (?, 's1', 'p', 'c', ?, 'user', 'p:1', 'Al', ?, 'x')", 10+i, fmt.Sprint("m", i), fmt.Sprintf("apples number%d", i))
		must(t, err)
	}
	must(t, db.Close())
	return dir
}

// dump reads all rows of a table by the columns that are named.
func dump(t *testing.T, path, table, columns string) (rows []string) {
	t.Helper()
	db := sqlite.Raw(path, "mode=ro")
	defer func() { must(t, db.Close()) }()
	r, err := db.Query("SELECT " + columns + " FROM " + table + " ORDER BY 1")
	must(t, err)
	defer func() { _ = r.Close() }()
	names, err := r.Columns()
	must(t, err)
	for r.Next() {
		values := make([]any, len(names))
		for i := range values {
			values[i] = new(any)
		}
		must(t, r.Scan(values...))
		line := ""
		for _, v := range values {
			line += fmt.Sprintf("%v|", *v.(*any))
		}
		rows = append(rows, line)
	}
	must(t, r.Err())
	return rows
}

func columnsOf(t *testing.T, path, table string) string {
	t.Helper()
	return strings.Join(dumpNames(t, path, "SELECT name FROM pragma_table_info('"+table+"')"), ", ")
}

func dumpNames(t *testing.T, path, query string) (names []string) {
	t.Helper()
	db := sqlite.Raw(path, "mode=ro")
	defer func() { must(t, db.Close()) }()
	rows, err := db.Query(query)
	must(t, err)
	names, err = engine.Collect(rows, func(r engine.Scanner) (n string, err error) { err = r.Scan(&n); return n, err })
	must(t, err)
	return names
}

// A database of an earlier version keeps every row under its id, is searched as
// before, takes up what was unfinished, and from then on no id comes twice.
func TestMigrationToLastingIDsChangesNothingForPeople(t *testing.T) {
	postgrestest.AboutFiles(t)
	dir := oldDatabase(t)
	path := filepath.Join(dir, datadir.Name)
	const triggersAndIndexes = "SELECT name || ' ' || sql FROM sqlite_master WHERE type IN ('trigger', 'index') AND sql " +
		"IS NOT NULL AND tbl_name IN ('inbox', 'outbox', 'messages') ORDER BY 1"
	before, columns, around := map[string][]string{}, map[string]string{}, dumpNames(t, path, triggersAndIndexes)
	for _, table := range []string{"inbox", "outbox", "messages", "steps", "decisions", "tool_calls", "participants"} {
		columns[table] = strings.Replace(columnsOf(t, path, table), " category,", "", 1) // TestOldAudit looks at those
		before[table] = dump(t, path, table, columns[table])
	}
	s, err := openIn(t, dir, Options{})
	must(t, err)
	defer func() { must(t, s.Close()) }()
	for table, want := range before {
		if got := dump(t, path, table, columns[table]); !slices.Equal(got, want) {
			t.Errorf("%s was\n%q\nand is\n%q", table, want, got)
		}
	}
	for _, line := range around {
		if strings.HasPrefix(line, "messages_participant ") || strings.HasPrefix(line, "messages_fts_") {
			continue // the one counts the last word too since then, the others know the place
		}
		if !slices.Contains(dumpNames(t, path, triggersAndIndexes), line) {
			t.Errorf("lost: %s", line)
		}
	}
	must(t, s.File.Check(t.Context()))
	var found, ahead int64
	must(t, s.db.QueryRow("SELECT count(*) FROM messages_fts WHERE messages_fts MATCH ?",
		ranking.Asking("apples").Match("apples")).Scan(&found))
	must(t, s.db.QueryRow("SELECT summarized_at FROM sessions WHERE id = 's2'").Scan(&ahead))
	if found != 20 || ahead != 0 {
		t.Errorf("%d of 20 are found; without a summary %d counts as summed up", found, ahead)
	}
	open, keys, err := takenUp(s, t.Context())
	must(t, err)
	if len(open) != 1 || open[0].UID != "8" || open[0].Preview != "pre" || open[0].Nonce == "" || len(keys) != 1 {
		t.Errorf("unfinished %+v, unsent %v", open, keys)
	}
	parts, err := s.Pending(t.Context(), chat.Key{Platform: "p", Channel: "c"})
	must(t, err)
	if len(parts) != 1 || parts[0].Nonce != "thenonce" || parts[0].Unknown != 1 {
		t.Errorf("parts %+v", parts)
	}
	must(t, s.db.Write(t.Context(), func(tx *engine.Tx) error {
		for table, above := range map[string]int64{"inbox": 31, "outbox": 6, "messages": 90} {
			var next int64
			if err := tx.QueryRow("SELECT seq + 1 FROM sqlite_sequence WHERE name = ?", table).Scan(&next); err != nil || next != above+1 {
				t.Errorf("%s goes on with %d (%v), want %d", table, next, err, above+1)
			}
		}
		return nil
	}))
}

// A week of silence, a prune and a forgetting use no id again, and what is
// known by the name of a message meets nothing older.
func TestIDsAreNeverGivenTwice(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := open(t, Options{Now: func() time.Time { return now }})
	say := func(id string) (m chat.Message, part, entry int64) {
		t.Helper()
		in, err := s.Accept(bg, chat.Batch{Platform: "p", Messages: []chat.Message{{ID: id, Key: chat.Key{Platform: "p", Channel: "c"},
			From: chat.User{ID: "p:1"}, Text: "x"}}})
		must(t, err)
		parts := []chat.Part{{Key: in[0].Key, Text: "y"}}
		se := Session{ID: "s" + id, Key: chat.Key{Platform: "p", Channel: id}, Status: Active, Direct: true}
		must(t, s.Finish(bg, in[0], parts, &Turn{Session: &se, Entries: []Entry{{Role: "user", User: "p:1", Content: "x", At: now}}}))
		must(t, s.Mark(bg, parts[0], chat.PartSent, "1", time.Time{}))
		must(t, s.db.QueryRow("SELECT max(id) FROM messages").Scan(&entry))
		return in[0], parts[0].Row, entry
	}
	first, part1, entry1 := say("1")
	now = now.AddDate(0, 0, 8)
	must(t, second(s.Prune(bg, Retention{})))
	must(t, s.ForgetPerson(bg, "p:1", 0))
	if n, err := s.Rows(bg, "inbox"); err != nil || n != 0 {
		t.Fatalf("%d rows are left, %v", n, err)
	}
	next, part2, entry2 := say("2")
	if next.Row <= first.Row || part2 <= part1 || entry2 <= entry1 {
		t.Errorf("rows %d, %d, %d come after %d, %d, %d", next.Row, part2, entry2, first.Row, part1, entry1)
	}
	if next.UID == first.UID || next.UID == "" || next.Nonce == first.Nonce || len(next.Nonce) != 25 {
		t.Errorf("names %q and %q, nonces %q and %q", first.UID, next.UID, first.Nonce, next.Nonce)
	}
}

// What a message is known by survives a restart; the nonces of a restored or a
// fresh database are its own, and parts that are stored keep theirs.
func TestNoncesBelongToADatabase(t *testing.T) {
	postgrestest.AboutFiles(t)
	dir := filepath.Join(t.TempDir(), "data")
	s, err := openIn(t, dir, Options{})
	must(t, err)
	in, err := s.Accept(bg, batch(0, 2))
	must(t, err)
	must(t, s.Finish(bg, in[0], []chat.Part{{Key: in[0].Key, Text: "said"}}, nil))
	said, err := s.Pending(bg, in[0].Key)
	must(t, err)
	must(t, s.Close())
	reopened := func() (chat.Message, chat.Part) {
		t.Helper()
		s, err := openIn(t, dir, Options{})
		must(t, err)
		defer func() { must(t, s.Close()) }()
		open, _, err := takenUp(s, bg)
		must(t, err)
		parts, err := s.Pending(bg, in[0].Key)
		must(t, err)
		if len(open) != 1 || len(parts) != 1 {
			t.Fatalf("%d messages, %d parts", len(open), len(parts))
		}
		return open[0], parts[0]
	}
	m, p := reopened()
	if p.At.IsZero() || !p.At.Equal(said[0].At) {
		t.Errorf("a part stored at %v is one of %v", said[0].At, p.At)
	}
	if m.UID != in[1].UID || m.Nonce != in[1].Nonce || p.Nonce != said[0].Nonce {
		t.Errorf("after a restart %q %q %q, before %q %q %q", m.UID, m.Nonce, p.Nonce, in[1].UID, in[1].Nonce, said[0].Nonce)
	}
	must(t, restored(t, dir))
	m, p = reopened()
	if m.UID != in[1].UID || m.Nonce == in[1].Nonce || p.Nonce != said[0].Nonce {
		t.Errorf("restored %q %q %q, before %q %q %q", m.UID, m.Nonce, p.Nonce, in[1].UID, in[1].Nonce, said[0].Nonce)
	}
	a, b := open(t, Options{}), open(t, Options{})
	if slices.Equal(a.salt, b.salt) || len(a.salt) != 16 {
		t.Errorf("two fresh databases have the salts %x and %x", a.salt, b.salt)
	}
	must(t, restored(t, oldDatabase(t)))
}

// restored puts a copy of an earlier version back.
func restored(t *testing.T, dir string) error {
	file := filepath.Join(t.TempDir(), "old.db")
	folder := datadir.Folder{Dir: dir, Migrations: Migrations()}
	if _, err := folder.Backup(t.Context(), file, false); err != nil {
		return err
	}
	_, err := folder.Restore(t.Context(), file)
	return err
}

// What lacks its identity, or has no form that can be stored, holds nothing up:
// it is put aside as it came, once, and the rest of the batch is stored.
func TestWhatCannotBeStoredIsPutAside(t *testing.T) {
	s := open(t, Options{})
	key, who := chat.Key{Platform: "p", Channel: "c"}, chat.User{ID: "p:1"}
	far := time.Unix(999999999999, 0)
	b := chat.Batch{Platform: "p", Cursors: map[string]string{"offset": "9"}, Messages: []chat.Message{
		{ID: "1", Key: key, From: who, Text: "before"},
		{ID: "2", Key: key, From: who, At: far, Raw: []byte(`{"date":999999999999}`)},
		{Key: key, From: who, Text: "no id"},
		{ID: "3", From: who, Raw: []byte("no conversation")},
		{ID: "4", Key: key, Raw: []byte("nobody")},
		{ID: "5", Key: key, Kind: chat.KindDeleted, ReplyTo: "1"},
		{ID: "6", Key: key, From: who, Text: "behind"},
	}, Dead: []chat.DeadLetter{{ID: "u7", Raw: []byte("{"), Reason: "not understood"}, {Raw: make([]byte, 100<<10), Reason: "long"}}}
	for range 2 { // and again, as a platform does that was not told
		_, err := s.Accept(context.Background(), b)
		must(t, err)
	}
	open, _, err := takenUp(s, bg)
	must(t, err)
	var ids []string
	for _, m := range open {
		ids = append(ids, m.ID)
	}
	if !slices.Equal(ids, []string{"1", "5", "6"}) {
		t.Errorf("stored %q", ids)
	}
	list, err := s.Letters.List(bg, 0, 100)
	must(t, err)
	n, err := s.Letters.Count(bg)
	must(t, err)
	raws := map[string]bool{}
	for _, l := range list {
		raws[string(l.Raw)] = true
		if l.Reason == "" || l.Platform != "p" || l.At.IsZero() || len(l.Raw) > 64<<10 {
			t.Errorf("%+v", l)
		}
	}
	// The one without a name cannot be known again.
	if len(list) != 7 || n != 7 || !raws[`{"date":999999999999}`] || !raws["no conversation"] || !raws["nobody"] || !raws["{"] {
		t.Errorf("%d put aside: %v", n, raws)
	}
	if c, err := s.Cursors(bg, "p"); err != nil || c["offset"] != "9" {
		t.Errorf("cursors %v %v", c, err)
	}
}

// A stored message that cannot be read does not keep the bot from starting.
func TestUnreadableRowIsPutAsideAtTheStart(t *testing.T) {
	s := open(t, Options{})
	must(t, second(s.Accept(bg, batch(1, 2))))
	must(t, s.db.Write(bg, func(tx *engine.Tx) error { return second(tx.Exec("UPDATE inbox SET body = '{\"at\":' WHERE id = 1")) }))
	for range 2 {
		open, _, err := takenUp(s, bg)
		must(t, err)
		if len(open) != 1 || open[0].ID != "2" {
			t.Fatalf("taken up: %+v", open)
		}
	}
	if list, err := s.Letters.List(bg, 0, 9); err != nil || len(list) != 1 || string(list[0].Raw) != `{"at":` {
		t.Errorf("%+v %v", list, err)
	}
}

// Where a commit succeeds and only its reply is lost, the batch comes again:
// what it stored is handed out then, once, and what waits already is not.
func TestFaultAcceptWhoseReplyIsLost(t *testing.T) {
	s := open(t, Options{})
	waiting, err := s.Accept(bg, batch(1, 1))
	must(t, err)
	a := s.arrived(batch(1, 3))
	must(t, s.db.Write(bg, a.store))
	s.doubts.Settle(a.ours, context.DeadlineExceeded)
	for i, want := range []int{2, 0} {
		got, err := s.Accept(bg, batch(1, 3))
		must(t, err)
		if len(got) != want {
			t.Errorf("delivered again, time %d: %d messages, want %d", i, len(got), want)
		}
		for _, m := range got {
			if m.Row == waiting[0].Row || m.UID == "" || m.Nonce == "" {
				t.Errorf("%+v", m)
			}
		}
	}
	// The writer tries a share of a failed commit once more by itself.
	b := s.arrived(batch(10, 2))
	must(t, s.db.Write(bg, b.store))
	must(t, s.db.Write(bg, b.store))
	if len(b.fresh) != 2 || b.fresh[0].Row == 0 {
		t.Errorf("fresh %+v", b.fresh)
	}
}
