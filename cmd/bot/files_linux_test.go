package main

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"parley/internal/adapters/telegram/telegramtest"
)

// TestNoFileLeftToOpen: while others hold all the files that the bot may open, messages wait;
// every one is answered once, and none with an error.
func TestNoFileLeftToOpen(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("many messages")
	}
	w := newWorld(t, "BOT_MODEL_NAME=builtin")
	address := strings.TrimPrefix(w.withPort(t), "http://")
	child, log := w.startHeard(t)
	eventually(t, "it polls", func() bool { return w.tg.Polling() })
	limit := unix.Rlimit{Cur: 40, Max: 40}
	must(t, unix.Prlimit(child.Process.Pid, unix.RLIMIT_NOFILE, &limit, nil))
	var held []net.Conn
	for range 60 {
		if conn, err := net.DialTimeout("tcp", address, time.Second); err == nil {
			held = append(held, conn)
		}
	}
	const all = 100
	for i := range all {
		w.tg.AddChat(int64(100 + i))
		w.tg.Push(telegramtest.Text(int64(100+i), int64(100+i), fmt.Sprintf("hello %d", i)))
	}
	eventually(t, "a message waits", func() bool { return strings.Contains(log.String(), "a message waits") })
	for _, conn := range held {
		_ = conn.Close()
	}
	eventually(t, "all answers", func() bool {
		for i := range all {
			if len(w.in(int64(100+i))) == 0 {
				return false
			}
		}
		return true
	})
	for i := range all {
		for _, m := range w.in(int64(100 + i)) {
			if strings.Contains(m.Text, "Something went wrong") {
				t.Errorf("%d: %q", i, m.Text)
			}
		}
	}
}
