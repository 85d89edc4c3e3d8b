package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/memory/datadir"
)

// TestFaultDatabaseGone: a running bot whose database is removed or replaced says so,
// acknowledges nothing any more, and no command opens what lies there instead. After a kill a
// backup is put back, and what was said since is answered.
func TestFaultDatabaseGone(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, path, backup string){
		"removed": func(t *testing.T, path, _ string) { must(t, os.Remove(path)) },
		"replaced": func(t *testing.T, path, backup string) {
			copied, err := os.ReadFile(backup)
			must(t, err)
			must(t, os.WriteFile(path+".copy", copied, 0o600))
			must(t, os.Rename(path+".copy", path))
		},
		"another's": func(t *testing.T, path, _ string) {
			must(t, os.WriteFile(path+".copy", []byte("nothing of ours"), 0o600))
			must(t, os.Rename(path+".copy", path))
		},
		"without its log": func(t *testing.T, path, _ string) { must(t, os.Remove(path+"-wal")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if w.url != "" {
				t.Skip("a server has the rows")
			}
			base := w.withPort(t)
			w.llm.Quiet()
			child := w.startAndPoll(t)
			w.saying(t, 7, 7, "before the loss")
			w.settled(t)
			backup := filepath.Join(t.TempDir(), "copy.db")
			if out, err := w.command("backup", backup); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			spoil(t, filepath.Join(w.dir, datadir.Name), backup)
			w.tg.Push(telegramtest.Text(7, 7, "after the loss"))
			eventually(t, "red", func() bool {
				status, _, problems := probe(t, base+"/healthz")
				return status == 503 && strings.Contains(problems["database"], "bot restore")
			})
			polls := len(w.tg.Calls("getUpdates"))
			eventually(t, "asked for again", func() bool { return len(w.tg.Calls("getUpdates")) > polls+1 })
			if w.tg.Waiting() != 1 || len(w.tg.Sent()) != 1 {
				t.Errorf("%d messages wait at the platform, %d answers", w.tg.Waiting(), len(w.tg.Sent()))
			}
			for _, command := range [][]string{{"doctor"}, {"facts", "list"}, {"backup", "--force", backup + ".2"}} {
				if out, err := w.command(command...); err == nil || !strings.Contains(out, "bot restore") {
					t.Errorf("%q: %v, %s", command, err, out)
				}
			}
			kill(child)
			if out, err := w.command("restore", backup); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			w.start(t)
			if got := w.sent(t, 2)[1]; !strings.Contains(got, "after the loss") {
				t.Errorf("answered %q", got)
			}
		})
	}
}

// TestFaultBeginsAnewOnPurpose: a used data folder without its database starts no bot, before
// that is asked for.
func TestFaultBeginsAnewOnPurpose(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if w.url != "" {
		t.Skip("a server has the rows")
	}
	w.llm.Quiet()
	child := w.startAndPoll(t)
	w.saying(t, 7, 7, "the first")
	kill(child)
	must(t, os.Remove(filepath.Join(w.dir, datadir.Name))) // its log stays
	for _, command := range [][]string{nil, {"chat"}, {"facts", "list"}, {"doctor"}} {
		if out, err := w.command(command...); err == nil || !strings.Contains(out, "bot restore FILE, or begin anew with bot run --fresh") {
			t.Errorf("%q: %v, %s", command, err, out)
		}
	}
	fresh := exec.Command(os.Args[0], "run", "--fresh")
	fresh.Env = append(append(os.Environ(), childEnv+"=1"), w.env...)
	must(t, fresh.Start())
	defer kill(fresh)
	w.saying(t, 7, 7, "the second")
	if n := w.counted(datadir.Name); n < 1 {
		t.Errorf("%d rows in the new one", n)
	}
	kept, _ := filepath.Glob(filepath.Join(w.dir, datadir.Name+".missing-*-wal"))
	if len(kept) != 1 {
		t.Errorf("the log of the old one is kept as %q", kept)
	}
}
