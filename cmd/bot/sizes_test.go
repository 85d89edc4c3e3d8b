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

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// TestSizes prints what a conversation leaves in the database: rows and bytes, after some
// and after three times as many. PARLEY_SIZES is how many conversations, and PARLEY_SAID a
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
			eventually(t, "all are answered", func() bool { return len(w.tg.Sent()) >= want })
		}
	}
	talk(0, 1) // what is there before any conversation
	base := w.weigh(t)
	talk(1, chats+1)
	some := w.weigh(t)
	talk(chats+1, 3*chats+1)
	more := w.weigh(t)
	kill(bot)
	per := func(a, b weight, n int) string {
		return fmt.Sprintf("%.1f rows and %.0f bytes a conversation, %.0f of them said", float64(b.rows-a.rows)/float64(n),
			float64(b.bytes-a.bytes)/float64(n), float64(b.text-a.text)/float64(n))
	}
	t.Logf("empty %d kB; the first %d: %s; the next %d: %s", base.bytes/1000, chats, per(base, some, chats), 2*chats, per(some, more, 2*chats))
	for _, one := range more.tables {
		t.Log(one)
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
		must(t, db.QueryRow("SELECT pg_database_size(current_database())").Scan(&all.bytes))
		return all
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	_, err = db.Exec("VACUUM INTO ?", copied)
	must(t, err)
	info, err := os.Stat(copied)
	must(t, err)
	all.bytes = info.Size()
	return all
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
