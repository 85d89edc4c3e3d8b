package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
	"parley/internal/memory"
	"parley/internal/memory/datadir"
)

// onSmallDisk gives the bot's data folder a disk of its own.
func (w *world) onSmallDisk(t *testing.T, size string) {
	t.Helper()
	must(t, os.Mkdir(w.dir, 0o700))
	if err := syscall.Mount("tmpfs", w.dir, "tmpfs", 0, "mode=0700,size="+size); err != nil {
		t.Skipf("no small disk to be had here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(w.dir, syscall.MNT_DETACH) })
}

// fillUp leaves no room in a folder; the returned function makes it again.
func fillUp(t *testing.T, dir string) (empty func()) {
	t.Helper()
	name := filepath.Join(dir, "filler")
	f, err := os.Create(name)
	must(t, err)
	for n := 1 << 16; n > 0; {
		if _, err := f.Write(make([]byte, n)); err != nil {
			n /= 2
		}
	}
	_ = f.Close()
	return func() {
		if err := os.Remove(name); err != nil {
			t.Error(err)
		}
	}
}

// runsFull has the bot answer once on a small disk, and leaves no room there until empty.
func (w *world) runsFull(t *testing.T) (base string, empty func()) {
	t.Helper()
	w.onSmallDisk(t, "8m")
	base = w.withPort(t)
	w.startAndPoll(t)
	w.saying(t, 7, 7, "one")
	return base, fillUp(t, w.dir)
}

// TestFaultFirstStartOnAFullDisk: whoever has no room for the first file reads so, and nothing is
// left of it.
func TestFaultFirstStartOnAFullDisk(t *testing.T) {
	w := newWorld(t)
	w.onSmallDisk(t, "400k")
	child := exec.Command(compiled(t, "."))
	child.Env = append(os.Environ(), w.env...)
	said, err := child.CombinedOutput()
	if err == nil || !strings.Contains(string(said), "make room there") {
		t.Errorf("%v, and it says:\n%s", err, said)
	}
	if left, _ := filepath.Glob(filepath.Join(w.dir, "bot.db*")); len(left) > 0 { // the pattern is fine
		t.Errorf("left: %v", left)
	}
}

// TestFaultStartedOnAFullDisk: a bot that was killed in the middle of an answer
// and finds the disk full says so instead of dying or feigning health, and
// answers as soon as there is room.
func TestFaultStartedOnAFullDisk(t *testing.T) {
	w := newWorld(t)
	w.onSmallDisk(t, "8m")
	base := w.withPort(t)
	w.llm.Respond(func(llmtest.Request) llmtest.Turn { return llmtest.Turn{Delay: time.Minute} })
	child := w.startAndPoll(t)
	w.tg.Push(telegramtest.Text(7, 7, "are you there?"))
	eventually(t, "the question at the model", func() bool { return len(w.llm.Requests()) > 0 })
	kill(child)
	w.llm.Respond(nil)
	empty := fillUp(t, w.dir)
	w.start(t)
	eventually(t, "red", func() bool {
		status, _, problems := probe(t, base+"/healthz")
		return status == 503 && strings.Contains(problems["database"], "make room")
	})
	if out, code := w.examined(t); code != 1 || !strings.Contains(out, "BAD") {
		t.Errorf("doctor, exit %d:\n%s", code, out)
	}
	if n := len(w.tg.Sent()); n > 0 {
		t.Errorf("%d answers without a place to note them", n)
	}
	empty()
	if got := w.sent(t, 1)[0]; got != "are you there?" {
		t.Errorf("got %q", got)
	}
	eventually(t, "not red any more", func() bool { status, _, _ := probe(t, base+"/readyz"); return status == 200 })
}

// TestFaultDiskFullWhileRunning: red while nothing can be stored, green again
// by itself, and what was written meanwhile is answered.
func TestFaultDiskFullWhileRunning(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	base, empty := w.runsFull(t)
	w.tg.Push(telegramtest.Text(7, 7, strings.Repeat("two ", 900)))
	for i := range 40 {
		w.tg.Push(telegramtest.Text(int64(100+i), int64(100+i), strings.Repeat("more ", 700)))
	}
	eventually(t, "red", func() bool {
		status, _, problems := probe(t, base+"/healthz")
		return status == 503 && strings.Contains(problems["database"], "make room")
	})
	empty()
	w.sent(t, 42)
	eventually(t, "not red any more", func() bool { status, _, _ := probe(t, base+"/readyz"); return status == 200 })
}

// TestKilledRestoreLeavesNothing: a restore that is killed on its way leaves a
// copy that only its owner can read, and the next start removes it.
func TestKilledRestoreLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fill(t, w.dir)
	backup := filepath.Join(t.TempDir(), "copy.db")
	data := datadir.Folder{Dir: w.dir, Migrations: memory.Migrations()}
	if _, err := data.Backup(t.Context(), backup, false); err != nil {
		t.Fatal(err)
	}
	drafts := func() []string {
		list, err := filepath.Glob(filepath.Join(w.dir, datadir.Name+".new-*"))
		must(t, err)
		return list
	}
	for try := 0; len(drafts()) == 0; try++ {
		if try == 50 {
			t.Fatal("the restore was always faster")
		}
		cmd := exec.Command("/bin/sh", "-c", `umask 000; exec "$0" restore "$1"`, os.Args[0], backup)
		cmd.Env = append(append(os.Environ(), childEnv+"=1"), w.env...)
		must(t, cmd.Start())
		for deadline := time.Now().Add(5 * time.Second); len(drafts()) == 0 && time.Now().Before(deadline); { // it is there for a moment only
		}
		kill(cmd)
	}
	for _, name := range drafts() {
		if st, err := os.Stat(name); err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, st.Mode(), err)
		}
	}
	w.startAndPoll(t)
	if left := drafts(); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}
