package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"parley/internal/db/postgres/postgrestest"
	"parley/internal/memory/memorytest"
)

// sockets lists what a process listens on and is connected with, but for some addresses.
func sockets(t *testing.T, pid int, known ...string) (list []string) {
	t.Helper()
	own := map[string]bool{}
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	must(t, err)
	for _, fd := range fds {
		to, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, fd.Name())) // closed meanwhile
		if inode, ok := strings.CutPrefix(to, "socket:["); ok {
			own[strings.TrimSuffix(inode, "]")] = true
		}
	}
	for _, kind := range []string{"tcp", "tcp6", "udp", "udp6", "unix"} {
		table, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, kind))
		must(t, err)
		for line := range strings.Lines(string(table)) {
			f := strings.Fields(line)
			switch {
			case kind == "unix" && len(f) > 6 && own[f[6]]:
				list = append(list, strings.Join(append([]string{kind}, f[7:]...), " "))
			case kind != "unix" && len(f) > 9 && own[f[9]] && !slices.Contains(known, f[2]):
				list = append(list, kind+" from "+f[1]+" to "+f[2])
			}
		}
	}
	return list
}

// remote is an address of this machine as the kernel lists it.
func remote(t *testing.T, url string) string {
	t.Helper()
	var port int
	if _, err := fmt.Sscanf(url, "http://127.0.0.1:%d", &port); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("0100007F:%04X", port)
}

// seen starts a bot as a process of its own, has it answer, and returns its sockets
// other than those to the platform and the model, and what all its goroutines do.
func seen(t *testing.T, w *world) (open []string, goroutines string) {
	t.Helper()
	w.llm.Quiet()
	var out bytes.Buffer
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), childEnv+"=1", "GOTRACEBACK=all"), w.env...)
	cmd.Stderr = &out
	must(t, cmd.Start())
	ended := false
	t.Cleanup(func() {
		if !ended {
			kill(cmd)
		}
	})
	w.saying(t, 1, 1, "hello")
	open = sockets(t, cmd.Process.Pid, remote(t, w.tg.URL()), remote(t, w.llm.URL()))
	must(t, cmd.Process.Signal(syscall.SIGQUIT))
	_ = cmd.Wait() // it ends with what they do
	ended = true
	return open, out.String()
}

// TestServersCostNothing: a bot whose rows are in a file has nothing that one on a server
// has: nothing of PostgreSQL runs, nobody listens, and it talks with nobody but the platform
// and the model.
func TestServersCostNothing(t *testing.T) {
	t.Parallel()
	served := func(goroutines string) bool {
		return strings.Contains(goroutines, "jackc/pgx") || strings.Contains(goroutines, "parley/internal/node.") ||
			strings.Contains(goroutines, "parley/internal/postgres.")
	}
	if !memorytest.Served() {
		open, goroutines := seen(t, newWorld(t))
		if len(open) > 0 || served(goroutines) || !strings.Contains(goroutines, "goroutine ") {
			t.Errorf("beside platform and model: %q\n%s", open, goroutines)
		}
	}
	if !postgrestest.Here() {
		return
	}
	w := newWorld(t)
	if w.url == "" {
		w.served(t)
	}
	if open, goroutines := seen(t, w); len(open) == 0 || !served(goroutines) {
		t.Errorf("with a server nothing of it is seen, so this proves nothing: %q\n%s", open, goroutines)
	}
}
