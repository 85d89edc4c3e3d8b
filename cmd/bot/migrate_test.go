package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/memory/memorytest"
)

// A bot's rows are moved to a server and back: it goes on there with what it knew, its
// numbers go on too, and the database that was left is refused.
func TestMigrateThereAndBack(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	w := newWorld(t, "BOT_MODEL_NAME=builtin")
	file := w.env
	n := 0
	say := func(text string) string {
		n++
		w.tg.Push(telegramtest.Text(1, 1, text))
		got := w.sent(t, n)[n-1]
		w.settled(t)
		return got
	}
	w.url = ""
	child := w.start(t)
	say("/facts add My parrot is called Coco #pets")
	say("/facts add My boat is called Nessie")
	say("/facts forget 2")
	kill(child)
	if out, err := w.command("migrate", "--to", url); err != nil || !strings.Contains(out, "Moved") {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := w.command("facts", "list"); err == nil || !strings.Contains(out, "was moved") {
		t.Errorf("the file that was left: %v: %s", err, out)
	}
	if out, err := w.command("migrate", "--to", url); err == nil {
		t.Errorf("moved twice: %s", out)
	}
	w.url, w.env = url, append(append([]string{}, file...), "BOT_DATABASE_URL="+url)
	child = w.start(t)
	if got := say("/facts search parrots"); !strings.Contains(got, "Coco") {
		t.Errorf("on the server: %s", got)
	}
	if got := say("/facts add My house is yellow"); !strings.Contains(got, "3") {
		t.Errorf("numbers do not go on: %s", got)
	}
	kill(child)
	if out, err := w.command("migrate", "--to", "sqlite"); err != nil || !strings.Contains(out, "Moved") {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := w.command("facts", "list"); err == nil || !strings.Contains(out, "was moved") {
		t.Errorf("the server that was left: %v: %s", err, out)
	}
	w.url, w.env = "", file
	w.start(t)
	if got := say("/facts search parrots"); !strings.Contains(got, "Coco") {
		t.Errorf("in the file again: %s", got)
	}
	if got := say("/facts add My car is red"); !strings.Contains(got, "4") {
		t.Errorf("numbers do not go on: %s", got)
	}
	if kept, _ := filepath.Glob(filepath.Join(w.dir, "bot.db.before-migrate-*")); len(kept) != 1 {
		t.Errorf("kept of the first file: %q", kept)
	}
}

// command runs a command of the bot with the settings of a world, and returns what it
// says.
func (w *world) command(args ...string) (string, error) {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(append(os.Environ(), childEnv+"=1"), w.env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// filed is a world whose bot has its rows in a file, and one of them.
func filed(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.url, w.env = "", append(w.env, "BOT_MODEL_NAME=builtin", "BOT_DATABASE_URL=")
	if out, err := w.command("facts", "add", "My parrot is called Coco"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return w
}

// A backup of a bot on a server is a file like any other, made beside it, and is put into
// an empty database; one that is not empty is left as it is.
func TestServedBackup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.served(t)
	w.env = append(w.env, "BOT_MODEL_NAME=builtin")
	w.start(t)
	w.saying(t, 1, 1, "/facts add My parrot is called Coco")
	w.settled(t)
	copied := filepath.Join(t.TempDir(), "copy.db")
	if out, err := w.command("backup", copied); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := w.command("restore", copied); err == nil || !strings.Contains(out, "in use by another") {
		t.Errorf("restored under a bot: %v: %s", err, out)
	}
	other := postgrestest.Database(t)
	w.env = append(w.env, "BOT_DATABASE_URL="+other)
	if out, err := w.command("restore", copied); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := w.command("facts", "list"); err != nil || !strings.Contains(out, "Coco") {
		t.Errorf("restored: %v: %s", err, out)
	}
	if out, err := w.command("restore", copied); err == nil || !strings.Contains(out, "not empty") {
		t.Errorf("restored twice: %v: %s", err, out)
	}
}

// TestMigrateCutShort: rows that are on a server, and not in its search yet, are no bot's: a
// start is refused, the file goes on, and the same command again moves all of it.
func TestMigrateCutShort(t *testing.T) {
	t.Parallel()
	url := memorytest.URL(t)
	w := filed(t)
	rows := postgrestest.Raw(t, url)
	run := func(statement string) {
		_, err := rows.Exec(statement)
		must(t, err)
	}
	run("CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''the index is broken''; END'")
	run("CREATE TRIGGER broken BEFORE INSERT ON key_facts_fts EXECUTE FUNCTION broken()")
	if out, err := w.command("migrate", "--to", url); err == nil || !strings.Contains(out, "nothing was moved") ||
		!strings.Contains(out, "the index is broken") {
		t.Errorf("cut short: %v: %s", err, out)
	}
	if out, err := w.command("facts", "list"); err != nil || !strings.Contains(out, "Coco") {
		t.Errorf("the file: %v: %s", err, out)
	}
	file := w.env
	w.env = append(append([]string{}, file...), "BOT_DATABASE_URL="+url)
	if out, err := w.command("facts", "list"); err == nil || !strings.Contains(out, "not all arrived") {
		t.Errorf("half of it is used: %v: %s", err, out)
	}
	run("DROP TRIGGER broken ON key_facts_fts")
	w.env = file
	if out, err := w.command("migrate", "--to", url); err != nil || !strings.Contains(out, "Moved") {
		t.Fatalf("again: %v: %s", err, out)
	}
	w.env = append(append([]string{}, file...), "BOT_DATABASE_URL="+url)
	if out, err := w.command("facts", "list"); err != nil || !strings.Contains(out, "Coco") {
		t.Errorf("on the server: %v: %s", err, out)
	}
}

// TestMigrateStopped: a move that somebody stops, or whose connection is lost, in the middle
// says so and leaves both sides as they were.
func TestMigrateStopped(t *testing.T) {
	t.Parallel()
	url := memorytest.URL(t)
	w := filed(t)
	rows := postgrestest.Raw(t, url)
	const moving = "datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'ALTER TABLE%'"
	for want, stop := range map[string]func(*exec.Cmd){
		"stopped before the end": func(cmd *exec.Cmd) { must(t, cmd.Process.Signal(os.Interrupt)) },
		"cannot be reached": func(*exec.Cmd) {
			_, err := rows.Exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE " + moving)
			must(t, err)
		},
	} {
		held, err := rows.Begin()
		must(t, err)
		_, err = held.Exec("LOCK TABLE handoffs IN SHARE MODE")
		must(t, err)
		var said safeBuffer
		cmd := exec.Command(os.Args[0], "migrate", "--to", url)
		cmd.Env = append(append(os.Environ(), childEnv+"=1"), w.env...)
		cmd.Stdout, cmd.Stderr = &said, &said
		must(t, cmd.Start())
		eventually(t, "it is in the middle", func() (waits bool) {
			must(t, rows.QueryRow("SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE "+moving+")").Scan(&waits))
			return waits
		})
		stop(cmd)
		if err := cmd.Wait(); err == nil || !strings.Contains(said.String(), "nothing was moved") || !strings.Contains(said.String(), want) {
			t.Errorf("%v: %s", err, &said)
		}
		must(t, held.Rollback())
		if out, err := w.command("facts", "list"); err != nil || !strings.Contains(out, "Coco") {
			t.Errorf("the file: %v: %s", err, out)
		}
	}
	if out, err := w.command("migrate", "--to", url); err != nil || !strings.Contains(out, "Moved") {
		t.Errorf("again: %v: %s", err, out)
	}
}
