package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/llm/llmtest"
)

// startHeard is start, with what the process logs.
func (w *world) startHeard(t *testing.T, env ...string) (*exec.Cmd, *safeBuffer) {
	t.Helper()
	apart(t)
	log := &safeBuffer{}
	cmd := exec.Command(os.Args[0])
	cmd.Env = slices.Concat(os.Environ(), []string{childEnv + "=1"}, w.env, env)
	cmd.Stderr = log
	must(t, cmd.Start())
	t.Cleanup(func() { kill(cmd) })
	return cmd, log
}

// TestRefusedByTheOnlyPlatform: a bot that Discord refuses ends with the code after which
// systemd leaves it, and says where to put it right. A supervisor that starts it all the
// same costs no sessions, however it is killed; other settings are tried at once.
func TestRefusedByTheOnlyPlatform(t *testing.T) {
	t.Parallel()
	w := newWorld(t).onDiscord()
	w.env = slices.DeleteFunc(w.env, func(e string) bool {
		return strings.HasPrefix(e, "BOT_TELEGRAM") || strings.HasPrefix(e, "BOT_ACCESS_OWNERS")
	})
	w.dc.RefuseWith(4014)
	cmd, log := w.startHeard(t)
	if !ended(cmd) || cmd.ProcessState.ExitCode() != 2 || !strings.Contains(log.String(), "Privileged Gateway Intents") {
		t.Errorf("%v:\n%s", cmd.ProcessState, log)
	}
	for range 10 {
		cmd, log := w.startHeard(t)
		eventually(t, "it waits", func() bool { return strings.Contains(log.String(), "tried again at") })
		kill(cmd)
	}
	if n := w.dc.Identifies(); n != 1 {
		t.Errorf("%d sessions in 11 starts", n)
	}
	cmd, _ = w.startHeard(t, "BOT_DISCORD_SHARDS=1")
	if !ended(cmd) || cmd.ProcessState.ExitCode() != 2 || w.dc.Identifies() != 2 {
		t.Errorf("other settings: %v, %d sessions", cmd.ProcessState, w.dc.Identifies())
	}
	w.dc.RefuseWith(0)
	w.start(t)
	w.connected(t)
}

// TestRefusedByOneOfTwo: the other one goes on.
func TestRefusedByOneOfTwo(t *testing.T) {
	t.Parallel()
	w := newWorld(t).onDiscord()
	w.dc.RefuseWith(4014)
	w.run(t)
	eventually(t, "refused", func() bool { return w.dc.Identifies() == 1 })
	w.llm.Queue(llmtest.Turn{Text: "Here I am."})
	if got := w.saying(t, 7, 7, "are you there?"); got != "Here I am." || w.dc.Identifies() != 1 {
		t.Errorf("got %q, %d sessions", got, w.dc.Identifies())
	}
}

// TestExpiredWhileKilled: an answer whose interaction has expired meanwhile is a message in
// the channel, also by the next process, and nothing else falls silent.
func TestExpiredWhileKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t).onDiscord()
	held := make(chan struct{})
	w.llm.Queue(llmtest.Turn{Text: "never", Held: held})
	cmd := w.start(t)
	w.connected(t)
	w.dc.Interaction(discordtest.Use{Guild: "77", Channel: "50", User: "42", Command: "ask", Options: [][2]string{{"text", "how are you?"}}})
	eventually(t, "it is thought about", func() bool { return len(w.llm.Requests()) == 1 })
	kill(cmd)
	close(held)
	w.llm.Queue(llmtest.Turn{Text: "Fine."}, llmtest.Turn{Text: "Still fine."})
	w.dc.Fail(discordtest.Fault{Path: "/webhooks/", Status: 401, Code: 50027, Times: 1000})
	w.run(t)
	if got := w.discordSent(t, 1)[0]; got.Content != "Fine." || got.Channel != "50" {
		t.Errorf("got %+v", got)
	}
	w.dc.Message("", "10", "42", "and now?")
	if got := w.discordSent(t, 2)[1]; got.Content != "Still fine." {
		t.Errorf("got %+v", got)
	}
}
