package postgrestest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"parley/internal/text/waittest"
)

// Pair is a server and its synchronous standby, both with fsync: what is committed is on
// the disks of both. They end with the test.
type Pair struct {
	URL string // of both, of which that one is taken which writes

	bin, dir string
	who      *syscall.SysProcAttr
	ports    [2]string
	server   [2]*exec.Cmd
	hung     []int // processes of the first
}

// StartPair starts one. It skips the test where no PostgreSQL is installed.
func StartPair(t testing.TB) *Pair {
	t.Helper()
	bin := binaries()
	if bin == "" {
		t.Skip(errAbsent)
	}
	dir, err := os.MkdirTemp("", "parley-pair-")
	must(t, err)
	p := &Pair{bin: bin, dir: dir}
	t.Cleanup(p.end)
	p.who, err = Unprivileged(dir)
	must(t, err)
	for i := range p.ports {
		_, p.ports[i], _ = net.SplitHostPort(waittest.Address(t))
	}
	p.run(t, "initdb", "-D", p.data(0), "-U", "parley", "-A", "trust", "--locale=C", "--encoding=UTF8", "--no-sync")
	p.start(t, 0)
	must(t, exec1(p.at(0), "SELECT 1"))
	p.run(t, "pg_basebackup", "-D", p.data(1), "-R", "-c", "fast", "-X", "stream", "--no-sync", "-d", p.at(0))
	p.start(t, 1)
	must(t, exec1(p.at(0), "ALTER SYSTEM SET synchronous_standby_names = '*'"))
	must(t, exec1(p.at(0), "SELECT pg_reload_conf()"))
	db := Raw(t, p.at(0))
	waittest.Until(t, "the standby follows", func() (follows bool) {
		return db.QueryRow("SELECT sync_state = 'sync' FROM pg_stat_replication").Scan(&follows) == nil && follows
	})
	p.URL = fmt.Sprintf("postgres://parley@127.0.0.1:%s,127.0.0.1:%s/postgres?sslmode=disable&target_session_attrs=read-write",
		p.ports[0], p.ports[1])
	return p
}

// Fail kills the first server, as a machine that is gone.
func (p *Pair) Fail() { p.kill(0) }

// Hang stops the first server: it takes connections, keeps those there are, and never says
// a word again.
func (p *Pair) Hang(t testing.TB) {
	t.Helper()
	main := p.server[0].Process.Pid
	must(t, syscall.Kill(main, syscall.SIGSTOP)) // before its children, so that there are no more
	p.hung = children(main)
	for _, pid := range p.hung {
		_ = syscall.Kill(pid, syscall.SIGSTOP) // it may have ended
	}
}

// children lists the processes that another one began.
func children(of int) (list []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range all {
		stat, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if parent, err := strconv.Atoi(fields[1]); err == nil && parent == of {
			list = append(list, pid)
		}
	}
	return list
}

// Promote makes the standby the server, and returns once it writes. There is no standby
// any more.
func (p *Pair) Promote(t testing.TB) {
	t.Helper()
	// Whoever looks after the servers takes the names away with the standby.
	must(t, os.WriteFile(filepath.Join(p.data(1), "postgresql.auto.conf"), []byte("synchronous_standby_names = ''\n"), 0o600))
	p.run(t, "pg_ctl", "promote", "-w", "-D", p.data(1))
}

// Second returns the address of the one that is the standby at first.
func (p *Pair) Second() string { return p.at(1) }

func (p *Pair) data(i int) string { return filepath.Join(p.dir, strconv.Itoa(i)) }

func (p *Pair) at(i int) string {
	return fmt.Sprintf("postgres://parley@127.0.0.1:%s/postgres?sslmode=disable", p.ports[i])
}

// run runs one of PostgreSQL's programs to its end.
func (p *Pair) run(t testing.TB, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(p.bin, name), args...)
	cmd.SysProcAttr, cmd.Dir = p.who, p.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
}

func (p *Pair) start(t testing.TB, i int) {
	t.Helper()
	log, err := os.Create(p.data(i) + ".log")
	must(t, err)
	cmd := exec.Command(filepath.Join(p.bin, "postgres"), "-D", p.data(i), "-k", p.dir, "-p", p.ports[i], "-c", "listen_addresses=127.0.0.1",
		"-c", "dynamic_shared_memory_type=mmap", "-c", "shared_buffers=32MB", "-c", "max_wal_size=256MB", "-c",
		"max_connections=100", "-c", "wal_writer_delay=10s", "-c", "wal_retrieve_retry_interval=100ms")
	cmd.SysProcAttr, cmd.Dir, cmd.Stdout, cmd.Stderr = p.who, p.dir, log, log
	must(t, cmd.Start())
	p.server[i] = cmd
	must(t, log.Close())
	if err := answering(p.at(i), p.dir); err != nil {
		text, _ := os.ReadFile(p.data(i) + ".log")
		t.Fatalf("%v: %s", err, text)
	}
}

// kill ends a server and its children, none of which can do a thing about it.
func (p *Pair) kill(i int) {
	if p.server[i] == nil {
		return
	}
	_ = syscall.Kill(-p.server[i].Process.Pid, syscall.SIGKILL)
	for _, pid := range p.hung {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	p.hung = nil
	_ = p.server[i].Wait()
	p.server[i] = nil
}

func (p *Pair) end() {
	p.kill(0)
	p.kill(1)
	_ = os.RemoveAll(p.dir)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(strings.TrimSpace(err.Error()))
	}
}
