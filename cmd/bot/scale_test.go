package main

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/internal/db/postgres/postgrestest"
	"parley/internal/text/waittest"
)

// TestScaleCommands: the commands of docs/scale.md, as they stand there but for the token
// and the server's place, start three processes on a database of their own.
func TestScaleCommands(t *testing.T) {
	t.Parallel()
	waittest.Alone(t)
	if _, err := exec.LookPath("createdb"); err != nil {
		t.Skip("PostgreSQL's programs are not in the path")
	}
	server, err := url.Parse(postgrestest.Start(t))
	must(t, err)
	page, err := os.ReadFile("../../docs/scale.md")
	must(t, err)
	_, rest, _ := strings.Cut(string(page), "\n```\ncreatedb")
	commands, _, found := strings.Cut(rest, "\n```\n")
	if !found {
		t.Fatal("docs/scale.md has no commands that make a database")
	}
	w := newWorld(t)
	dir, place := t.TempDir(), server.Query().Get("host")
	must(t, os.WriteFile(filepath.Join(dir, "bot"), []byte(fmt.Sprintf("#!/bin/sh\n%s=1 exec %s \"$@\"\n", childEnv, os.Args[0])), 0o700))
	shell := exec.Command("sh", "-c", strings.NewReplacer("…", w.tg.Token(), "/var/run/postgresql",
		place).Replace("createdb"+commands)+"\nwait")
	shell.Dir, shell.SysProcAttr = dir, &syscall.SysProcAttr{Setpgid: true}
	shell.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "PGHOST="+place, "PGUSER="+server.Query().Get("user"))
	for _, set := range w.env {
		if name, _, _ := strings.Cut(set, "="); name != "BOT_TELEGRAM_TOKEN" && name != "BOT_DATA_DIR" && name != "BOT_DATABASE_URL" {
			shell.Env = append(shell.Env, set)
		}
	}
	said := &safeBuffer{}
	shell.Stdout, shell.Stderr = said, said
	server.Path = "/parley"
	t.Cleanup(func() {
		_, _ = postgrestest.Raw(t, postgrestest.Start(t)).Exec("DROP DATABASE parley WITH (FORCE)")
		if t.Failed() {
			t.Logf("said:\n%s", said)
		}
	})
	must(t, shell.Start())
	t.Cleanup(func() { _ = syscall.Kill(-shell.Process.Pid, syscall.SIGKILL); _ = shell.Wait() })
	eventually(t, "three live", func() bool { return living(t, server.String()) == 3 })
	w.saying(t, 1, 1, "hello")
	must(t, syscall.Kill(-shell.Process.Pid, syscall.SIGTERM))
	eventually(t, "they ended", func() bool { return living(t, server.String()) == 0 })
}

// living counts the processes on a database, -1 while there is none.
func living(t *testing.T, at string) (n int) {
	t.Helper()
	db, err := sql.Open("pgx", at)
	must(t, err)
	defer func() { _ = db.Close() }()
	if db.QueryRow("SELECT count(*) FROM node_leases WHERE until > clock_timestamp()").Scan(&n) != nil {
		return -1
	}
	return n
}
