package standby

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/app/systemd"
	"parley/internal/memory/datadir"
	"parley/internal/text/waittest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// folder is a data folder with a database in it.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, datadir.Name), nil, 0o600))
	return dir
}

// TestStandbyNotifiesServiceManager: a waiting service counts as started and alive.
func TestStandbyNotifiesServiceManager(t *testing.T) {
	name := filepath.Join(t.TempDir(), "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	must(t, err)
	defer func() { _ = conn.Close() }()
	t.Setenv("NOTIFY_SOCKET", name)
	t.Setenv("WATCHDOG_USEC", "1000000")
	supervisor, err := systemd.New()
	must(t, err)
	defer supervisor.Close()
	dir := folder(t)
	held, err := datadir.Lock(dir)
	must(t, err)
	defer func() { _ = held.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() {
		lock, err := Wait(ctx, Options{Dir: dir, Log: slog.New(slog.DiscardHandler), Supervisor: supervisor})
		if lock != nil || err != nil {
			t.Errorf("ended with %v, %v", lock, err)
		}
	})
	must(t, conn.SetReadDeadline(time.Now().Add(time.Minute)))
	var told []string
	for range 3 {
		b := make([]byte, 500)
		n, err := conn.Read(b)
		must(t, err)
		told = append(told, string(b[:n]))
	}
	cancel()
	done.Wait()
	if !strings.HasPrefix(told[0], "READY=1\nSTATUS=standing by: process ") || told[1] != "WATCHDOG=1" || told[2] != "WATCHDOG=1" {
		t.Errorf("told %q", told)
	}
}

// TestReplacedFolder: a lock whose file was replaced, as by another mount, does not count.
func TestReplacedFolder(t *testing.T) {
	dir := folder(t)
	lock, err := datadir.Lock(dir)
	must(t, err)
	defer func() { _ = lock.Close() }()
	name := filepath.Join(dir, "bot.lock")
	if !lock.Still() {
		t.Error("a lock as it was made")
	}
	must(t, os.Remove(name))
	if lock.Still() {
		t.Error("a lock without a name")
	}
	must(t, os.WriteFile(name, nil, 0o600))
	if lock.Still() {
		t.Error("a lock of another file")
	}
}

// TestStandbyReasons: each reason is logged once; a permanent one is an error.
func TestStandbyReasons(t *testing.T) {
	dir := t.TempDir()
	var log syncBuffer
	got := make(chan *datadir.Held, 1)
	var done sync.WaitGroup
	done.Go(func() {
		lock, err := Wait(t.Context(), Options{Dir: dir, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Error(err)
		}
		got <- lock
	})
	waittest.Until(t, "why it waits", func() bool { return strings.Contains(log.String(), "no database") })
	held, err := datadir.Lock(dir)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, datadir.Name), nil, 0o600))
	waittest.Until(t, "the other reason", func() bool { return strings.Contains(log.String(), "uses it") })
	must(t, held.Close())
	done.Wait()
	_ = (<-got).Close()
	if n := strings.Count(log.String(), "standing by"); n != 2 {
		t.Errorf("said %d times:\n%s", n, log.String())
	}
	if os.Geteuid() == 0 {
		return // may do everything
	}
	must(t, os.Chmod(dir, 0o500))
	if _, err := Wait(t.Context(), Options{Dir: dir, Log: slog.New(slog.DiscardHandler)}); err == nil {
		t.Error("no error where no lock can be made")
	}
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
