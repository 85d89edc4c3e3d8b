package systemd

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// listenAs returns the service manager's end of the socket.
func listenAs(t *testing.T, name string) *net.UnixConn {
	t.Helper()
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	t.Setenv("NOTIFY_SOCKET", name)
	return conn
}

func TestServiceManagerInTheAbstractNamespace(t *testing.T) {
	m := listenAs(t, "@parley-"+filepath.Base(t.TempDir())+t.Name())
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.Tell("READY=1")
	if err := m.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 100)
	if n, err := m.Read(b); string(b[:n]) != "READY=1" {
		t.Errorf("told %q, %v", b[:n], err)
	}
	if os.Getenv("NOTIFY_SOCKET") != "" {
		t.Error("what the bot starts could speak in its name")
	}
}

func TestWatchdogOfAnotherProcess(t *testing.T) {
	listenAs(t, filepath.Join(t.TempDir(), "s"))
	t.Setenv("WATCHDOG_USEC", "100000")
	t.Setenv("WATCHDOG_PID", "1")
	s, err := New()
	if err != nil || s.Every != 0 {
		t.Errorf("every %v, %v", s.Every, err)
	}
	s.Close()
}
