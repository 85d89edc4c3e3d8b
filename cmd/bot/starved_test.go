package main

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
)

// descriptors counts what a process has open.
func descriptors(t *testing.T, pid int) int {
	t.Helper()
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Skip("no /proc")
	}
	return len(list)
}

// TestFaultFewDescriptorsAndNoLog: with 64 file descriptors
// and nobody reading the log, a flood is answered and nothing leaks.
func TestFaultFewDescriptorsAndNoLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.llm.Quiet()
	cmd := exec.Command("/bin/sh", "-c", `ulimit -n 64 && exec "$0" --log-level debug`, os.Args[0])
	cmd.Env = append(append(os.Environ(), childEnv+"=1"), w.env...)
	log, err := cmd.StderrPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { kill(cmd) })
	n := 0
	answered := func(chats, each int) {
		for i := range each {
			for c := range int64(chats) {
				w.tg.Push(telegramtest.Text(100+c, 100+c, fmt.Sprint("turn ", i)))
			}
		}
		n += chats * each
		w.sent(t, n)
	}
	answered(2, 2)
	must(t, log.Close())
	answered(150, 2) // more than there are descriptors for
	before := descriptors(t, cmd.Process.Pid)
	for range 5 {
		answered(2, 8)
	}
	if after := descriptors(t, cmd.Process.Pid); after > before {
		t.Errorf("%d descriptors are open, %d after the flood", after, before)
	}
}
