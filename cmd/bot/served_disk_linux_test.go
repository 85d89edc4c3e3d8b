package main

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/memory/memorytest"
)

// TestServedDiskFull: while the disk of the database's server is full nobody is answered, the
// bot says at once what is wrong, and once there is room everybody is, by itself and once.
func TestServedDiskFull(t *testing.T) {
	w := newWorld(t)
	url, dir := postgrestest.OnSmallDisk(t, "40m")
	w.url, w.env = url, append(w.env, "BOT_DATABASE_URL="+url)
	base := w.withPort(t)
	w.startAndPoll(t)
	w.saying(t, 7, 7, "one")
	empty := fillUp(t, dir)
	var want []string
	for i := range 40 {
		var b strings.Builder
		for b.Len() < 3000 { // what repeats takes the server no room
			fmt.Fprintf(&b, "%d %s ", i, rand.Text())
		}
		want = append(want, strings.TrimSpace(b.String()))
		w.tg.Push(telegramtest.Text(int64(100+i), int64(100+i), want[i]))
	}
	eventually(t, "red", func() bool {
		status, _, problems := probe(t, base+"/healthz")
		return status == 503 && strings.Contains(problems["database"], "the database server is full")
	})
	if out, code := w.examined(t); code != 1 || !strings.Contains(out, "no room left") {
		t.Errorf("doctor, exit %d:\n%s", code, out)
	}
	empty()
	w.sent(t, 41)
	eventually(t, "not red any more", func() bool { status, _, _ := probe(t, base+"/readyz"); return status == 200 })
	got := map[string]int{}
	for _, m := range w.tg.Sent() {
		got[m.Text]++
	}
	for _, text := range want {
		if got[text] != 1 {
			t.Errorf("%.40q was answered %d times", text, got[text])
		}
	}
	if len(got) != 41 {
		t.Errorf("people read %d other messages", len(got)-41)
	}
}

// TestServedReadOnly: a server that begins to refuse writes while the bot runs, as a primary
// that became a standby or a provider's that is full, is named for as long as it does.
func TestServedReadOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.url = memorytest.URL(t)
	w.env = append(w.env, "BOT_DATABASE_URL="+w.url)
	base := w.withPort(t)
	w.startAndPoll(t)
	rows := postgrestest.Raw(t, w.url)
	turn := func(how string) {
		_, err := rows.Exec("DO $$BEGIN EXECUTE format('ALTER DATABASE %I " + how +
			"', current_database()); PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = " +
			"current_database() AND pid <> pg_backend_pid(); END$$")
		must(t, err)
	}
	w.saying(t, 7, 7, "one")
	turn("SET default_transaction_read_only = on")
	w.tg.Push(telegramtest.Text(7, 7, "two"))
	eventually(t, "red", func() bool {
		status, _, problems := probe(t, base+"/healthz")
		return status == 503 && strings.Contains(problems["database"], "takes no writes")
	})
	turn("RESET default_transaction_read_only")
	if got := w.sent(t, 2)[1]; got != "two" {
		t.Errorf("got %q", got)
	}
	eventually(t, "not red any more", func() bool { status, _, _ := probe(t, base+"/readyz"); return status == 200 })
}
