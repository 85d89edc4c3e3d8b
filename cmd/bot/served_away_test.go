package main

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/text/waittest"
)

// TestServerGoesAwayAndComesBack: while people write, the server is gone for longer than
// a write waits, and comes back. All are answered in order, and once, but for what was on
// its way just then; what was said meanwhile the platform keeps. The log says what was the matter, and /status that it is
// over.
func TestServerGoesAwayAndComesBack(t *testing.T) {
	if testing.Short() {
		t.Skip("takes as long as a write waits")
	}
	t.Parallel()
	w := newWorld(t)
	w.llm.Quiet()
	w.served(t)
	wire, url := postgrestest.NewProxy(t, w.url)
	rows := postgrestest.Raw(t, w.url)
	said := &safeBuffer{}
	child := exec.Command(os.Args[0])
	child.Env = append(append(os.Environ(), childEnv+"=1"), append(w.env, "BOT_DATABASE_URL="+url, "BOT_LOG_LEVEL=info")...)
	child.Stderr = said
	must(t, child.Start())
	t.Cleanup(func() {
		kill(child)
		if t.Failed() {
			t.Logf("it said:\n%s", said)
		}
	})
	eventually(t, "a poll", func() bool { return len(w.tg.Calls("getUpdates")) > 0 })
	want := map[int64][]string{}
	say := func(n int) {
		for i := range n {
			chat := int64(1000 + i%10)
			token := fmt.Sprintf("tok-%d-%d.", chat, len(want[chat]))
			want[chat] = append(want[chat], token)
			w.tg.Push(telegramtest.Text(chat, chat, token))
			waittest.Take(t.Context(), 10*time.Millisecond)
		}
	}
	say(30)
	wire.Down(true)
	onTheirWay := flying(t, rows, "started")
	say(30)
	eventually(t, "the log says it", func() bool { return strings.Contains(said.String(), "database server cannot be reached") })
	waittest.Take(t.Context(), 6*time.Second) // longer than a write waits
	say(10)
	wire.Down(false)
	back := time.Now()
	say(30)
	answered := func() bool { return tally(want, w.tg.Sent()).lost == 0 }
	eventually(t, "all are answered", answered)
	t.Logf("all are answered %v after it was back", time.Since(back))
	eventually(t, "/status says that it is over", func() bool {
		answer := w.say(t, 1, "/status")
		return strings.Contains(answer, "database: ok") || strings.Contains(answer, "Database: ok")
	})
	got := tally(want, w.tg.Sent())
	if got.doubled = 0; got != (ledger{}) {
		t.Errorf("%+v", got)
	}
	if twice := unexcused(want, w.tg.Sent(), onTheirWay); len(twice) > 0 {
		t.Errorf("answered twice: %v; on their way were %q", twice, onTheirWay)
	}
}

// flying returns the parts in these states: they may have been sent and are not known to be.
func flying(t *testing.T, db *sql.DB, states ...string) (bodies []string) {
	t.Helper()
	rows, err := db.Query("SELECT body FROM outbox WHERE state = ANY ($1)", states)
	must(t, err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var body string
		must(t, rows.Scan(&body))
		bodies = append(bodies, body)
	}
	return bodies
}
