package main

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"parley/internal/adapters/telegram/telegramtest"
)

// TestNoFileLeftToOpen: while the bot may open no file, messages wait; every one is answered once,
// and none with an error.
func TestNoFileLeftToOpen(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("many messages")
	}
	w := newWorld(t, "BOT_MODEL_NAME=builtin")
	child, log := w.startHeard(t)
	eventually(t, "it polls", func() bool { return w.tg.Polling() })
	// What is open stays open: the poll goes on, and brings messages that need a reader of the database.
	must(t, unix.Prlimit(child.Process.Pid, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 3, Max: 1024}, nil))
	const all = 100
	for i := range all {
		w.tg.AddChat(int64(100 + i))
		w.tg.Push(telegramtest.Text(int64(100+i), int64(100+i), fmt.Sprintf("hello %d", i)))
	}
	answered := func() bool {
		for i := range all {
			if len(w.in(int64(100+i))) == 0 {
				return false
			}
		}
		return true
	}
	// Where enough is open already nobody waits, and all is answered.
	eventually(t, "a file is missing", func() bool {
		return strings.Contains(log.String(), "too many open files") || answered()
	})
	t.Logf("a message waited: %v", strings.Contains(log.String(), "a message waits"))
	must(t, unix.Prlimit(child.Process.Pid, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 1024, Max: 1024}, nil))
	eventually(t, "all answers", answered)
	for i := range all {
		for _, m := range w.in(int64(100 + i)) {
			if strings.Contains(m.Text, "Something went wrong") {
				t.Errorf("%d: %q", i, m.Text)
			}
		}
	}
}
