package main

import (
	"bufio"
	"cmp"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/db/sqlite"
	"parley/internal/llm/llmtest"
	"parley/internal/text/waittest"
)

// TestSizes prints what a conversation leaves in the database: rows, bytes and indexes, after
// some, four times and sixteen times as many. PARLEY_SIZES is how many conversations, and PARLEY_SAID a
// file of what people say, a message a line. Each has four questions, and an answer to each of
// four lines.
func TestSizes(t *testing.T) {
	chats, _ := strconv.Atoi(os.Getenv("PARLEY_SIZES"))
	if chats == 0 {
		t.Skip("measures")
	}
	said := linesOf(t, whatIsSaid())
	w := newWorld(t)
	w.llm.Quiet()
	next := 0
	line := func() string {
		next++
		return said[next%len(said)]
	}
	answers := make(chan string, 1)
	go func() {
		for {
			text := line() + " " + line() + " " + line() + " " + line()
			select {
			case answers <- text:
			case <-t.Context().Done():
				return
			}
		}
	}()
	w.llm.Respond(func(llmtest.Request) llmtest.Turn { return llmtest.Turn{Text: <-answers} })
	bot := w.start(t)
	talk := func(from, to int) {
		for turn := range 4 {
			var batch []telegramtest.Update
			for chat := from; chat < to; chat++ {
				text := said[(chat*4+turn)*7%len(said)]
				batch = append(batch, telegramtest.Text(int64(1000+chat), int64(1000+chat), text))
			}
			w.tg.Push(batch...)
			want := from*4 + (turn+1)*(to-from)
			w.sent(t, want)
		}
	}
	talk(0, 1) // what is there before any conversation
	base := w.weigh(t)
	t.Logf("empty %d kB", base.bytes/1000)
	last, had := base, 0
	for _, times := range []int{1, 4, 16} {
		talk(had+1, times*chats+1)
		now, n := w.weigh(t), float64(times*chats-had)
		t.Logf("the next %.0f conversations: %.1f rows and %.0f bytes each, %.0f of them said; of all bytes %.0f %% are indexes, and %.0f %% that of words",
			n, float64(now.rows-last.rows)/n, float64(now.bytes-last.bytes)/n, float64(now.text-last.text)/n,
			100*float64(now.indexes)/float64(now.bytes), 100*float64(now.words)/float64(now.bytes))
		last, had = now, times*chats
	}
	kill(bot)
	for _, one := range last.tables {
		t.Log(one)
	}
	if w.url != "" {
		w.vacuum(t, had)
	}
}

// vacuum forgets every fourth of some people and prints what that leaves on a server, and how
// long it takes to clean up.
func (w *world) vacuum(t *testing.T, people int) {
	store := w.open(t)
	began := time.Now()
	for i := 0; i < people; i += 4 {
		must(t, store.ForgetPerson(t.Context(), fmt.Sprint("telegram:", 1000+i), 0))
	}
	took := time.Since(began)
	db, err := w.look()
	must(t, err)
	defer func() { _ = db.Close() }()
	size := func() (bytes int64) {
		must(t, db.QueryRow("SELECT pg_database_size(current_database())").Scan(&bytes))
		return bytes
	}
	before := size()
	var live, dead int64
	waittest.Until(t, "the server has counted", func() bool {
		must(t, db.QueryRow("SELECT sum(n_live_tup), sum(n_dead_tup) FROM pg_stat_user_tables").Scan(&live, &dead))
		return dead > int64(people)
	})
	t.Logf("%d of %d people forgotten in %.1f s: %d rows live, %d dead, %d kB", (people+3)/4, people, took.Seconds(), live, dead, before/1000)
	for _, how := range []string{"VACUUM", "VACUUM FULL"} {
		began = time.Now()
		_, err = db.Exec(how)
		must(t, err)
		spent := time.Since(began).Seconds()
		t.Logf("%s: %.2f s, %.1f s a GB, leaves %d kB", how, spent, spent/float64(before)*1e9, size()/1000)
	}
}

func linesOf(t *testing.T, path string) (list []string) {
	f, err := os.Open(path)
	must(t, err)
	defer func() { _ = f.Close() }()
	for s := bufio.NewScanner(f); s.Scan(); {
		if s.Text() != "" {
			list = append(list, s.Text())
		}
	}
	return list
}

// weight is how much a database holds.
type weight struct {
	rows, bytes int64
	text        int64 // bytes of what was said
	indexes     int64 // bytes of all, words included
	words       int64 // bytes of the index of what was said
	tables      []string
}

// weigh looks once what was put off is done.
func (w *world) weigh(t *testing.T) (all weight) {
	rest(3e9)
	db, err := w.look()
	must(t, err)
	defer func() { _ = db.Close() }()
	must(t, db.QueryRow("SELECT coalesce(sum(length(content)), 0) FROM messages").Scan(&all.text))
	names := "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY 1"
	if w.url != "" {
		names = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1"
	}
	rows, err := db.Query(names)
	must(t, err)
	for _, name := range column(t, rows) {
		var n, size int64
		must(t, db.QueryRow(`SELECT count(*) FROM "`+name+`"`).Scan(&n))
		if w.url != "" {
			must(t, db.QueryRow("SELECT pg_total_relation_size($1)", `"`+name+`"`).Scan(&size))
		}
		if all.rows += n; n > 100 {
			all.tables = append(all.tables, fmt.Sprintf("%s: %d rows, %d kB (0 where that is not known)", name, n, size/1000))
		}
	}
	if w.url != "" {
		must(t, db.QueryRow("SELECT pg_database_size(current_database()), pg_total_relation_size('messages_fts')").Scan(&all.bytes, &all.words))
		must(t, db.QueryRow(`SELECT sum(pg_indexes_size(relid)) + pg_table_size('messages_fts') FROM pg_stat_user_tables`).Scan(&all.indexes))
		return all
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	_, err = db.Exec("VACUUM INTO ?", copied)
	must(t, err)
	all.bytes = sizeOf(t, copied)
	without := sqlite.Raw(copied, "")
	defer func() { _ = without.Close() }()
	drop := func(statements ...string) int64 {
		for _, one := range append(statements, "VACUUM") {
			_, err := without.Exec(one)
			must(t, err)
		}
		return sizeOf(t, copied)
	}
	rest := drop("DROP TABLE messages_fts")
	all.words = all.bytes - rest
	rows, err = without.Query(`SELECT 'DROP INDEX "' || name || '"' FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL`)
	must(t, err)
	all.indexes = all.bytes - drop(column(t, rows)...)
	return all
}

func sizeOf(t *testing.T, path string) int64 {
	info, err := os.Stat(path)
	must(t, err)
	return info.Size()
}

func column(t *testing.T, rows *sql.Rows) (list []string) {
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var s string
		must(t, rows.Scan(&s))
		list = append(list, s)
	}
	must(t, rows.Err())
	return list
}

// whatIsSaid names the file that PARLEY_SAID names, or one that is here.
func whatIsSaid() string {
	return cmp.Or(os.Getenv("PARLEY_SAID"), "testdata/rehearsals/commands.txt")
}
