package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/memory/datadir"
)

// standBy starts a process that waits for w's data folder, and returns what it says.
func (w *world) standBy(t *testing.T) (*exec.Cmd, *safeBuffer) {
	t.Helper()
	apart(t)
	said := &safeBuffer{}
	cmd := exec.Command(os.Args[0], "run", "--standby")
	cmd.Env = append(append(os.Environ(), childEnv+"=1"), w.env...)
	cmd.Stderr = said
	must(t, cmd.Start())
	t.Cleanup(func() { kill(cmd) })
	return cmd, said
}

// TestStandbyTakesOver: one process serves and another waits. The first is killed
// amid its work; the second goes on where it was, with nothing lost, and serves.
func TestStandbyTakesOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.llm.Quiet()
	first := w.startAndPoll(t)
	second, said := w.standBy(t)
	eventually(t, "that it stands by", func() bool { return strings.Contains(said.String(), "standing by") })
	want := w.ask(0, 3, 3)
	ctx := t.Context()
	must(t, w.tg.Wait(ctx, func() bool { return len(w.tg.Sent()) > 0 }))
	polls := len(w.tg.Calls("getUpdates"))
	kill(first)
	began := time.Now()
	_, err := w.tg.WaitCalls(ctx, "getUpdates", polls+1)
	must(t, err)
	t.Logf("it polled %v after the kill", time.Since(began).Round(time.Millisecond))
	if l := w.settle(t, want); l.lost+l.misrouted+l.misordered > 0 || l.doubled > 3 {
		t.Errorf("%+v", l)
	}
	if !strings.Contains(said.String(), "taking over") {
		t.Errorf("it says nothing of it:\n%s", said)
	}
	w.tg.Push(telegramtest.Text(1000, 1000, "tok-after."))
	if l := w.settle(t, map[int64][]string{1000: {"tok-after."}}); l != (ledger{}) {
		t.Errorf("afterwards %+v", l)
	}
	end(t, second)
}

// TestStandbyIsToldToEnd: SIGTERM ends a process that waits at once and well, and the
// one that serves does not notice. A rolling restart hands over the same way.
func TestStandbyIsToldToEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.llm.Quiet()
	first := w.startAndPoll(t)
	waits, said := w.standBy(t)
	eventually(t, "that it stands by", func() bool { return strings.Contains(said.String(), "standing by") })
	if took := end(t, waits); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	_, said = w.standBy(t)
	eventually(t, "that it stands by", func() bool { return strings.Contains(said.String(), "standing by") })
	end(t, first)
	if l := w.settle(t, w.ask(0, 1, 2)); l != (ledger{}) {
		t.Errorf("%+v", l)
	}
}

// TestStandbyBeginsNothing: where storage is not mounted yet there is an empty folder,
// and a bot without its memory would answer everybody. It waits until a database is there.
func TestStandbyBeginsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.llm.Quiet()
	must(t, os.MkdirAll(w.dir, 0o700))
	_, said := w.standBy(t)
	eventually(t, "why it waits", func() bool { return strings.Contains(said.String(), "no database") })
	if list, err := os.ReadDir(w.dir); err != nil || len(list) > 0 {
		t.Errorf("it made %v, %v", list, err)
	}
	other := newWorld(t)
	other.llm.Quiet()
	end(t, other.startAndPoll(t))
	must(t, os.Rename(filepath.Join(other.dir, datadir.Name), filepath.Join(w.dir, datadir.Name))) // it is mounted
	if l := w.settle(t, w.ask(0, 1, 2)); l != (ledger{}) {
		t.Errorf("%+v", l)
	}
}
