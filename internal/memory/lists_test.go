package memory

import (
	"fmt"
	"slices"
	"testing"

	"parley/internal/db/engine"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/memory/pgschema"
)

const word = "zebra"

// zebras is two processes on a server with 3,000 messages, 1,000 of which have the word.
func zebras(t *testing.T) (url string, two [2]*Store) {
	t.Helper()
	url = postgrestest.Database(t)
	for i := range two {
		s, err := Open(t.Context(), "", Options{URL: url})
		must(t, err)
		t.Cleanup(func() { must(t, s.Close()) })
		two[i] = s
	}
	s, other := two[0], two[1]
	importText(t, s, fillers(t, 3000, [2]string{"archive", "c0"}, nil, strangers))
	must(t, s.db.Settle(t.Context()))
	must(t, other.db.Exec(t.Context(), "UPDATE messages SET content = content || ' "+word+"' WHERE id % 3 = 0"))
	must(t, other.db.Settle(t.Context()))
	return url, two
}

// A process that is killed while it forgets, and one that is killed right after, leave lists that
// say what the index says.
func TestListsWhereForgettingIsKilled(t *testing.T) {
	url, two := zebras(t)
	s, others := two[0], postgrestest.Raw(t, url)
	for _, c := range []struct {
		end  string // of who forgets, before the kill
		many int
	}{{"SELECT 1", 1000}, {"COMMIT", 0}} {
		conn, err := others.Conn(t.Context())
		must(t, err)
		for _, list := range []string{"", "BEGIN", "DELETE FROM messages WHERE id % 3 = 0", c.end} {
			if list != "" {
				must(t, second(conn.ExecContext(t.Context(), list)))
			}
			must(t, second(s.lists.Get(pgschema.Lists{DB: s.db}, []string{word}))) // kept as it was then
		}
		must(t, second(others.Exec("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = 'messages'::regclass AND mode = 'RowExclusiveLock'")))
		_ = conn.Close()
		got, err := s.lists.Get(pgschema.Lists{DB: s.db}, []string{word})
		must(t, err)
		if len(got[0]) != c.many {
			t.Errorf("killed after %s: %d entries instead of %d", c.end, len(got[0]), c.many)
		}
	}
}

// Lists that a process keeps of a server's index say what the index says, whatever another process
// does meanwhile: it says something, edits, moves and forgets, and words come long after their message.
func TestListsFollowTheServer(t *testing.T) {
	_, two := zebras(t)
	s, other := two[0], two[1]
	terms := []string{word, "1·" + word}
	check := func(what string, many int) {
		t.Helper()
		must(t, other.db.Settle(t.Context()))
		for range 2 { // read, and kept
			got, err := s.lists.Get(pgschema.Lists{DB: s.db}, terms)
			must(t, err)
			want, err := pgschema.Postings(s.db, terms, "")
			must(t, err)
			for i := range terms {
				if !slices.Equal(got[i], want[i]) || i == 0 && len(got[i]) != many {
					t.Fatalf("%s: %q has %d entries, in the index %d, expected %d", what, terms[i], len(got[i]), len(want[i]), many)
				}
			}
		}
	}
	change := func(what string, many int, statement string, args ...any) {
		t.Helper()
		must(t, other.db.Exec(t.Context(), statement, args...))
		check(what, many)
	}
	first, err := engine.Value[int64](s.db.QueryRow("SELECT min(id) FROM messages WHERE id % 3 = 0"))
	must(t, err)
	check("at first", 1000)
	importText(t, other, `{"platform":"archive","channel":"c0","user":"zoe","name":"Zoe",`+
		fmt.Sprintf(`"text":"a %s","at":"2025-01-01T09:00:00Z","id":1}`, word))
	check("a message", 1001)
	change("an edit of it", 1000, "UPDATE messages SET content = 'nothing' WHERE id = (SELECT max(id) FROM messages)")
	change("its edit back", 1001, "UPDATE messages SET content = ? WHERE id = (SELECT max(id) FROM messages)", "a "+word)
	change("another's edit", 1000, "UPDATE messages SET content = 'nothing' WHERE id = ?", first)
	change("another's edit back", 1001, "UPDATE messages SET content = ? WHERE id = ?", "a "+word, first)
	change("another place", 1001, "UPDATE messages SET channel = 'c1' WHERE id = ?", first)
	change("what is forgotten", 1000, "DELETE FROM messages WHERE id = ?", first)
	change("words that come late", 1001, "INSERT INTO messages_fts (rowid, words) VALUES (?, CAST(? AS tsvector))", first<<placeBits|1, word)
	must(t, other.Tidy(t.Context()))
	n, err := engine.Value[int64](s.db.QueryRow("SELECT count(*) FROM parley_index_changes"))
	must(t, err)
	if n != 1 {
		t.Errorf("%d changes are kept", n)
	}
	check("after the night", 1001)
}

// A transaction that stays open while many others commit has its message in the lists once it ends.
func TestListsHaveWhatWasCommittedLate(t *testing.T) {
	url, two := zebras(t)
	s, others := two[0], postgrestest.Raw(t, url)
	conn, err := others.Conn(t.Context())
	must(t, err)
	defer func() { must(t, conn.Close()) }()
	run := func(statement string) {
		t.Helper()
		must(t, second(conn.ExecContext(t.Context(), statement)))
	}
	many := func() int {
		t.Helper()
		got, err := s.lists.Get(pgschema.Lists{DB: s.db}, []string{word})
		must(t, err)
		return len(got[0])
	}
	many()
	run("BEGIN")
	run(fmt.Sprintf(`INSERT INTO messages_fts (rowid, words)
		VALUES (pg_sequence_last_value(pg_get_serial_sequence('messages', 'id')::regclass) << 20 | 9, '%s')`, word))
	importText(t, two[1], fillers(t, 1500, [2]string{"archive", "c1"}, nil, strangers))
	must(t, two[1].db.Settle(t.Context()))
	for range 2 {
		if n := many(); n != 1000 {
			t.Errorf("%d entries before the end", n)
		}
	}
	run("COMMIT")
	if n := many(); n != 1001 {
		t.Errorf("%d entries after it", n)
	}
}
