package main

import (
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/internal/memory/datadir"
)

// counting is what other programs ask of each file of the data folder.
var counting = map[string]string{
	datadir.Name: "SELECT count(*) FROM inbox",
	"traces.db":  "SELECT count(*) FROM calls",
	"vault.db":   "SELECT count(*) FROM docs",
}

// beholder is a program that opens database files beside the bot, as an owner does who looks
// into them, asks each one thing, and closes it.
type beholder struct {
	name string
	args []string
	asks func(file, query string) string // read from its standard input; prints a number
}

var beholders = []beholder{
	{"sqlite3", []string{":memory:"}, func(file, query string) string {
		return fmt.Sprintf(".open '%s'\n.timeout 30000\n%s;\n.open :memory:\n", file, query)
	}},
	{"python3", []string{"-"}, func(file, query string) string {
		return fmt.Sprintf("import sqlite3\nc = sqlite3.connect('%s', timeout=30)\nprint(c.execute('%s').fetchone()[0])\nc.close()\n",
			file, query)
	}},
}

// ask returns the numbers that the program prints.
func (b beholder) ask(script string) (list []int, err error) {
	cmd := exec.Command(b.name, b.args...)
	cmd.Stdin = strings.NewReader(script)
	out, err := cmd.CombinedOutput()
	for word := range strings.FieldsSeq(string(out)) {
		n, bad := strconv.Atoi(word)
		list, err = append(list, n), errors.Join(err, bad)
	}
	return list, err
}

// here skips where the program cannot be run.
func (b beholder) here(t *testing.T) {
	t.Helper()
	if list, err := b.ask(b.asks(":memory:", "SELECT 41 + 1")); err != nil || !slices.Equal(list, []int{42}) {
		t.Skipf("%s is not here: %v, %v", b.name, list, err)
	}
}

// counts looks into all files and returns how many rows it saw in each.
func (b beholder) counts(t *testing.T, dir string) map[string]int {
	t.Helper()
	names, script := slices.Sorted(maps.Keys(counting)), ""
	for _, name := range names {
		script += b.asks(filepath.Join(dir, name), counting[name])
	}
	list, err := b.ask(script)
	if err != nil || len(list) != len(names) {
		t.Fatalf("%s says %v, %v", b.name, list, err)
	}
	seen := map[string]int{}
	for i, name := range names {
		seen[name] = list[i]
	}
	return seen
}

// TestKilledBesideOtherPrograms: other programs open the files of the data folder and close
// them at ten moments under load, and the process is killed. Whoever closes a file last folds
// its log into it and deletes the log; so each has to see that the bot has it open. Nothing
// that was acknowledged is lost, nor anything that somebody saw. make faults plays 50 rounds.
func TestKilledBesideOtherPrograms(t *testing.T) {
	t.Parallel()
	rounds := 3
	if os.Getenv("PARLEY_FAULTS") != "" {
		rounds = 50
	}
	for _, b := range beholders {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			b.here(t)
			w := newWorld(t)
			if w.url != "" {
				t.Skip("a server has the rows")
			}
			w.llm.Quiet()
			notes := t.TempDir()
			w.env = append(w.env, "BOT_VAULT_DIR="+notes)
			for round := range rounds {
				before, after := w.visited(t, b, notes, round)
				if after.doubled -= min(after.doubled, 10); before != (ledger{}) || after != (ledger{}) { // a send of each chat may be cut off
					t.Fatalf("round %d: asked before the last visit: %+v, after it: %+v", round, before, after)
				}
			}
		})
	}
}

// visited is one round: a bot that is visited ten times while it answers, killed while it
// answers again, looked at, and started anew. It returns what became of what was asked before
// and after the last visit; only of the latter some may have been on the way.
func (w *world) visited(t *testing.T, b beholder, notes string, round int) (before, after ledger) {
	t.Helper()
	const chats, each, moments = 10, 3, 10
	child := w.startAndPoll(t)
	eventually(t, "the notes are indexed", func() bool { return w.counted("vault.db") >= round*moments })
	sent := len(w.tg.Sent())
	early := w.ask(2*round, chats, each)
	seen := map[string]int{}
	for i := range moments {
		must(t, os.WriteFile(filepath.Join(notes, fmt.Sprintf("note-%d-%d.md", round, i)), []byte("# A note\nwith a word"), 0o600))
		eventually(t, "the next moment", func() bool { return len(w.tg.Sent()) >= sent+i*chats*each/moments })
		seen = b.counts(t, w.dir)
	}
	w.settled(t)
	eventually(t, "the notes are indexed", func() bool { return w.counted("vault.db") == (round+1)*moments })
	late := w.ask(2*round+1, chats, each)
	eventually(t, "all is acknowledged", w.allTaken)
	kill(child)
	seen[datadir.Name], seen["vault.db"] = (round+1)*2*chats*each, (round+1)*moments
	w.unlost(t, seen)
	child = w.start(t)
	defer kill(child)
	after = w.settle(t, late)
	return w.settle(t, early), after
}

// counted is what one of the files says now; -1 while it cannot be read.
func (w *world) counted(name string) (n int) {
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(w.dir, name)+"?mode=ro")
	if err != nil {
		return -1
	}
	defer func() { _ = db.Close() }()
	if db.QueryRow(counting[name]).Scan(&n) != nil {
		return -1
	}
	return n
}

// unlost checks that all rows are there that somebody saw, in files that are whole.
func (w *world) unlost(t *testing.T, seen map[string]int) {
	t.Helper()
	for name, rows := range seen {
		if n := w.counted(name); n < rows {
			t.Errorf("%s: %d of %d rows are left", name, n, rows)
		}
		db, err := sql.Open("sqlite3", "file:"+filepath.Join(w.dir, name)+"?mode=ro")
		must(t, err)
		var verdict string
		if err := db.QueryRow("PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
			t.Errorf("%s: %s, %v", name, verdict, err)
		}
		_ = db.Close()
	}
}
