package postgrestest

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"parley/internal/text/waittest"
)

// Solo is a server of its own, with fsync, that can be started again. It ends with the test.
type Solo struct {
	URL  string // of a new, empty database
	data string
	pair *Pair // of which it is one half
}

// StartSolo starts one. It skips the test where no PostgreSQL is installed.
func StartSolo(t testing.TB) *Solo {
	t.Helper()
	bin := binaries()
	if bin == "" {
		t.Skip(errAbsent)
	}
	dir, err := os.MkdirTemp("", "parley-solo-")
	must(t, err)
	p := &Pair{bin: bin, dir: dir}
	s := &Solo{data: filepath.Join(dir, "0"), pair: p}
	t.Cleanup(func() {
		p.run(t, "pg_ctl", "stop", "-w", "-m", "immediate", "-D", s.data)
		must(t, os.RemoveAll(dir))
	})
	p.who, err = Unprivileged(dir)
	must(t, err)
	_, port, _ := net.SplitHostPort(waittest.Address(t))
	p.run(t, "initdb", "-D", s.data, "-U", "parley", "-A", "trust", "--locale=C", "--encoding=UTF8", "--no-sync")
	options := fmt.Sprintf("-k %s -p %s -c listen_addresses=127.0.0.1 -c dynamic_shared_memory_type=mmap -c shared_buffers=32MB -c max_wal_size=256MB",
		dir, port)
	p.run(t, "pg_ctl", "start", "-w", "-D", s.data, "-l", s.data+".log", "-o", options)
	s.URL = fmt.Sprintf("postgres://parley@127.0.0.1:%s/postgres?sslmode=disable", port)
	return s
}

// Restart ends the server in one of pg_ctl's modes and starts it again.
func (s *Solo) Restart(t testing.TB, mode string) {
	t.Helper()
	s.pair.run(t, "pg_ctl", "restart", "-w", "-m", mode, "-D", s.data, "-l", s.data+".log")
}
