package main

import (
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/memory/memorytest"
)

// What keeps a copy of all rows and numbers of a database, and what puts it in their place, as
// a server does that is restored from a base backup: with leases, writers and owners of
// conversations of that time.
const (
	keepState = `DO $$DECLARE t text; BEGIN
		CREATE SCHEMA kept;
		FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP EXECUTE format('CREATE TABLE kept.%I AS TABLE public.%I', t, t); END LOOP;
		CREATE TABLE kept."numbers of sequences" AS SELECT sequencename::text AS name, last_value FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL;
	END$$`
	putStateBack = `DO $$DECLARE t text; names text; BEGIN
		SET LOCAL session_replication_role = replica;
		PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
		SELECT string_agg(format('public.%I', tablename), ', ') INTO names FROM pg_tables WHERE schemaname = 'public';
		EXECUTE 'TRUNCATE ' || names;
		FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP EXECUTE format('INSERT INTO public.%I OVERRIDING SYSTEM VALUE SELECT * FROM kept.%I', t, t); END LOOP;
		PERFORM setval(format('public.%I', name)::regclass, last_value) FROM kept."numbers of sequences";
	END$$`
)

// TestServedRestored: when an older state takes the place of the rows of a bot that runs, it
// goes on: what is said afterwards is answered once, and what was answered since that state
// is not answered again.
func TestServedRestored(t *testing.T) {
	w := newWorld(t)
	w.url = memorytest.URL(t)
	w.env = append(w.env, "BOT_DATABASE_URL="+w.url)
	w.startAndPoll(t)
	rows := postgrestest.Raw(t, w.url)
	say := func(texts ...string) {
		n := len(w.tg.Sent())
		for i, text := range texts {
			w.tg.Push(telegramtest.Text(int64(7+i), int64(7+i), text))
		}
		w.sent(t, n+len(texts))
		w.settled(t)
	}
	say("before 1", "before 2")
	_, err := rows.Exec(keepState)
	must(t, err)
	say("since 1", "since 2", "since 3")
	say("since 4", "since 5", "since 6")
	_, err = rows.Exec(putStateBack)
	must(t, err)
	say("after 1", "after 2", "after 3", "after 4")
	say("last 1", "last 2", "last 3", "last 4")
	got := map[string]int{}
	for _, m := range w.tg.Sent() {
		got[m.Text]++
	}
	for text, n := range got {
		if n != 1 {
			t.Errorf("%q was answered %d times", text, n)
		}
	}
	if len(got) != 16 {
		t.Errorf("people read %v", got)
	}
}
