package main

import (
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/db/engine"
	"parley/internal/memory/memorytest"
	"parley/internal/text/waittest"
)

// A bot whose rows are on a PostgreSQL server answers, remembers, finds what was said,
// forgets, and goes on where it was killed.
func TestServedBot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.served(t)
	w.env = append(w.env, "BOT_MODEL_NAME=builtin")
	child := w.start(t)
	say := func(n int, text string) string {
		w.tg.Push(telegramtest.Text(1, 1, text))
		list := w.sent(t, n)
		w.settled(t)
		return list[n-1]
	}
	if got := say(1, "/facts add My parrot is called Coco"); !strings.Contains(got, "1") {
		t.Errorf("adding a fact: %s", got)
	}
	kill(child)
	w.start(t)
	if got := say(2, "/facts search parrots"); !strings.Contains(got, "Coco") {
		t.Errorf("searching facts: %s", got)
	}
	say(3, "/forget-me")
	if got := say(4, "yes"); !strings.Contains(got, "server may keep traces") || strings.Contains(got, "file is rewritten") {
		t.Errorf("forgetting on a server: %s", got)
	}
	eventually(t, "nothing of it is left", func() bool { return len(w.holding(t, "coco")) == 0 })
	if got := say(5, "/facts search parrots"); strings.Contains(got, "Coco") {
		t.Errorf("searching facts that were forgotten: %s", got)
	}
}

// holding lists the tables on the server that have a word, in any of their columns.
func (w *world) holding(t *testing.T, word string) (tables []string) {
	t.Helper()
	db, err := w.look()
	must(t, err)
	defer func() { must(t, db.Close()) }()
	rows, err := db.Query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
	must(t, err)
	all, err := engine.Collect(rows, engine.Value[string])
	must(t, err)
	for _, table := range all {
		var n int
		must(t, db.QueryRow("SELECT count(*) FROM "+table+" x WHERE x::text ILIKE '%' || $1 || '%'", word).Scan(&n))
		if n > 0 {
			tables = append(tables, table)
		}
	}
	return tables
}

// TestServedBesideAFile: a bot whose rows are on a server says where they are, how large
// they are, and that the file of before is not used until it is moved.
func TestServedBesideAFile(t *testing.T) {
	if memorytest.Served() {
		t.Skip("begins with a file")
	}
	w := newWorld(t)
	const unused = "bot.db is not used, because database.url names a server"
	child := w.start(t)
	w.saying(t, 1, 1, "/help")
	end(t, child)
	if out, _ := w.examined(t); strings.Contains(out, unused) {
		t.Errorf("doctor warns of the file that is used:\n%s", out)
	}
	w.served(t)
	if out, _ := w.examined(t); !strings.Contains(out, unused) || !strings.Contains(out, "bot migrate --to") {
		t.Errorf("doctor does not warn of it:\n%s", out)
	}
	at := waittest.Address(t)
	w.env = append(w.env, "BOT_HTTP_LISTEN="+at)
	w.run(t)
	if got := w.saying(t, 1, 1, "/status"); !strings.Contains(got, "PostgreSQL (") || strings.Contains(got, "parley@") {
		t.Errorf("/status says:\n%s", got)
	}
	_, size, _ := strings.Cut(fetched(t, "http://"+at+"/metrics"), "\nparley_database_bytes ")
	if size == "" || strings.HasPrefix(size, "0\n") || strings.HasPrefix(size, "NaN") {
		t.Errorf("the database has %.20q bytes", size)
	}
}
