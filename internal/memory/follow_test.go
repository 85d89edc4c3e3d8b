package memory

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"parley/internal/db/engine"
)

// A process beside the one that makes vectors finds what is meant, too: what was there
// before, what is said later, and after a while what was made out of turn.
func TestMeaningsOfAnotherProcess(t *testing.T) {
	e, dir := newEncoder(), filepath.Join(t.TempDir(), "data")
	var mu sync.Mutex
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	later := func(d time.Duration) { mu.Lock(); defer mu.Unlock(); now = now.Add(d) }
	process := func() *Store {
		s, err := openIn(t, dir, Options{Embed: e.embed, EmbedModel: "m", Now: func() time.Time { mu.Lock(); defer mu.Unlock(); return now }})
		must(t, err)
		t.Cleanup(func() { must(t, s.Close()) })
		return s
	}
	makes, follows := process(), process()
	next := func() {
		t.Helper()
		later(2 * time.Second)
		embedAll(t, makes)
		for more := true; more; {
			var err error
			more, err = follows.Meanings().Follow(t.Context())
			must(t, err)
		}
	}
	finds := func(question, want string) {
		t.Helper()
		found, err := follows.Recall(t.Context(), Query{User: "x:u1", Text: question, Limit: 3})
		must(t, err)
		if len(found) == 0 || found[0].content != want {
			t.Errorf("%s finds %+v", question, found)
		}
	}
	early := say(t, makes, sayingsKey, "x:u1", "an umbrella stands outside")
	must(t, makes.db.Write(t.Context(), func(tx *engine.Tx) error { // among many not all are compared
		for i := range maxWhole + 300 {
			m := spoken{key: sayingsKey, role: "user", user: "x:u1", session: sayingsKey.Channel,
				text: fmt.Sprintf("some words number%d said%d", i, i%97)}
			if err := m.insert(tx, i); err != nil {
				return err
			}
		}
		return nil
	}))
	say(t, makes, sayingsKey, "x:u1", "our pooch lives upstairs")
	next()
	finds("where dwells that hound?", "our pooch lives upstairs")
	say(t, follows, sayingsKey, "x:u1", "her bike is blue")
	next()
	finds("something azure?", "her bike is blue")
	must(t, makes.db.Exec(t.Context(), "UPDATE messages SET content = 'zorps beside quells tonight' WHERE id = ?", early))
	e.same["glim"], e.same["frab"] = "zorps", "quells"
	later(time.Hour)
	next()
	finds("glim, frab", "zorps beside quells tonight")
}

// On a server a message may be there only after others with higher numbers, which have
// their vectors by then. It gets one with the next that is said.
func TestLateMessagesHaveAMeaning(t *testing.T) {
	e := newEncoder()
	s := open(t, Options{Embed: e.embed, EmbedModel: "m", Now: clock()})
	first := say(t, s, sayingsKey, "x:u1", "her bike is blue")
	for _, n := range []int64{5, 3, 6} {
		must(t, s.db.Exec(t.Context(), `INSERT INTO messages (id, session_id, platform, channel, thread, role, user_id, name, content, tool_call_id, at)
				SELECT ?, session_id, platform, channel, thread, role, user_id, name, content, tool_call_id, at FROM messages WHERE id = ?`, first+n, first))
		if n != 3 {
			embedAll(t, s)
		}
	}
	if n := vectors(t, s, "message_id = ?", first+3); n != 1 {
		t.Errorf("%d vectors of what came late", n)
	}
}
