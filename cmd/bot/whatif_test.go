package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"parley/internal/llm/llmtest"
)

// TestWhatIfIsKilled: the command is killed while a model is asked; the next one asks for
// nothing that was answered.
func TestWhatIfIsKilled(t *testing.T) {
	w := newWorld(t)
	w.setenv(t)
	w.llm.Respond(func(llmtest.Request) llmtest.Turn { return llmtest.Turn{Text: "Fine."} })
	const said, answered = 8, 3
	lines := ""
	for i := range said {
		lines += fmt.Sprintf("Tell me about number %d.\n", i)
	}
	if out, code := typed(lines, "chat", "--data", w.dir); code != 0 {
		t.Fatalf("exit %d: %s", code, out)
	}
	persona := filepath.Join(t.TempDir(), "persona.md")
	must(t, os.WriteFile(persona, []byte("Speak like a PIRATE.\n"), 0o600))
	var asked atomic.Int32
	held := make(chan struct{})
	w.llm.Respond(func(r llmtest.Request) llmtest.Turn {
		if strings.Contains(string(r.Raw), "PIRATE") && asked.Add(1) > answered {
			return llmtest.Turn{Text: "Arr.", Held: held}
		}
		return llmtest.Turn{Text: "Arr."}
	})
	cmd := exec.Command(os.Args[0], "whatif", persona, "--data", w.dir)
	cmd.Env = append(append(os.Environ(), childEnv+"=1"), w.env...)
	must(t, cmd.Start())
	t.Cleanup(func() { kill(cmd) })
	eventually(t, "a request that is not answered", func() bool { return asked.Load() == answered+1 })
	kill(cmd)
	close(held)
	out, code := typed("", "whatif", persona, "--data", w.dir)
	if code != 0 || !strings.Contains(out, fmt.Sprintf("%d requests asked for this", said-answered)) ||
		!strings.Contains(out, fmt.Sprintf("%d messages run again, 0 unchanged", said)) {
		t.Errorf("exit %d: %s", code, out)
	}
	if n := asked.Load(); n != said+1 { // the one that was under way is asked again
		t.Errorf("%d requests for %d messages", n, said)
	}
}
