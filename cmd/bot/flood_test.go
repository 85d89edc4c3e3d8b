package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
	"parley/internal/text/waittest"
)

// peak returns the most memory a process ever had.
func peak(t testing.TB, pid int) (kb int64) {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skip("no /proc")
	}
	_, after, _ := strings.Cut(string(b), "VmHWM:")
	_, _ = fmt.Sscan(after, &kb)
	return kb
}

// TestFaultModelFloods: a model's server that never ends what it says costs
// the process little memory, and the person is told something true.
func TestFaultModelFloods(t *testing.T) {
	t.Parallel()
	if waittest.Racing {
		t.Skip("the race detector keeps much of each word")
	}
	w := newWorld(t)
	w.llm.Quiet()
	w.env = append(w.env, "GOGC=100") // what is held, not how late the collector comes on a busy machine
	child := w.startAndPoll(t)
	rest := peak(t, child.Process.Pid)
	const delta = `data: {"choices":[{"delta":%s,"finish_reason":null}]}` + "\n\n"
	for i, tt := range []struct {
		turn llmtest.Turn
		want string
	}{
		{llmtest.Turn{Flood: fmt.Sprintf(delta, `{"content":"on and on "}`)}, "on and on"},
		{llmtest.Turn{Flood: "data: " + strings.Repeat("x", 1000)}, "usable answer"},
		{llmtest.Turn{Body: `{"choices":[{"message":{"content":"`, Flood: "long "}, "usable answer"},
		{llmtest.Turn{Flood: ": keep-alive\n\n"}, "usable answer"},
		{llmtest.Turn{Flood: fmt.Sprintf(delta, `{"reasoning_content":"hm, "}`)}, "usable answer"},
		{llmtest.Turn{Flood: fmt.Sprintf(delta, `{"tool_calls":[{"index":0,"id":"a","function":{"name":"add_task","arguments":"1"}}]}`)},
			"usable answer"},
	} {
		w.llm.Respond(func(llmtest.Request) llmtest.Turn { return tt.turn })
		before := len(w.tg.Sent())
		w.tg.Push(telegramtest.Text(7, 7, fmt.Sprint("go ", i)))
		eventually(t, "what the person is told after flood "+fmt.Sprint(i), func() bool {
			for _, m := range w.tg.Sent()[before:] {
				if strings.Contains(m.Text, tt.want) || m.File != nil && strings.HasSuffix(string(m.File.Data), tt.want) {
					return true
				}
			}
			return false
		})
		t.Logf("flood %d: at most %d MB, %d at rest", i, peak(t, child.Process.Pid)>>10, rest>>10)
	}
	if kb := peak(t, child.Process.Pid) - rest; kb > 64<<10 {
		t.Errorf("grew by %d MB", kb>>10)
	}
}
