package main

import (
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/engine"
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
	all, err := engine.Collect(rows, engine.Name)
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
