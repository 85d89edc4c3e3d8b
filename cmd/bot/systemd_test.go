package main

import (
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
)

// manager is the service manager's end of the socket.
type manager struct{ conn *net.UnixConn }

func listenAs(t *testing.T, name string) manager {
	t.Helper()
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	t.Setenv("NOTIFY_SOCKET", name)
	return manager{conn}
}

// next returns the next message; "" when none came in time.
func (m manager) next(t *testing.T, wait time.Duration) string {
	t.Helper()
	must(t, m.conn.SetReadDeadline(time.Now().Add(wait)))
	b := make([]byte, 4096)
	n, _ := m.conn.Read(b)
	return string(b[:n])
}

func TestServiceManagerIsTold(t *testing.T) {
	m := listenAs(t, filepath.Join(t.TempDir(), "s"))
	t.Setenv("WATCHDOG_USEC", "100000")
	w := newWorld(t)
	lift := w.tg.Fail(telegramtest.Fault{Method: "getUpdates", Status: 409})
	w.run(t)
	if got := m.next(t, 500*time.Millisecond); got != "" {
		t.Errorf("told %q before anything can be received", got)
	}
	lift()
	if got := m.next(t, time.Minute); !strings.HasPrefix(got, "READY=1\n") {
		t.Errorf("told %q, not that it is ready", got)
	}
	if got := m.next(t, time.Minute); got != "WATCHDOG=1" {
		t.Errorf("told %q, not that it is alive", got)
	}
	w.tg.Fail(telegramtest.Fault{Method: "getUpdates", Status: 409})
	w.tg.Push(telegramtest.Text(7, 7, "ends the poll that is held"))
	eventually(t, "the watchdog is not told that a deaf bot is well", func() bool { return m.next(t, 500*time.Millisecond) == "" })
	must(t, w.stop())
	if got := m.next(t, time.Minute); got != "STOPPING=1" {
		t.Errorf("told %q, not that it stops", got)
	}
}
