package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// hangUp writes settings, sends the signal and waits for a line in the log.
func (w *world) hangUp(t *testing.T, settings, want string) {
	t.Helper()
	must(t, os.WriteFile(w.file, []byte(settings), 0o600))
	before := strings.Count(w.log.String(), want)
	must(t, syscall.Kill(os.Getpid(), syscall.SIGHUP))
	eventually(t, want, func() bool { return strings.Count(w.log.String(), want) > before })
}

func TestReload(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	folder := t.TempDir()
	w.file = filepath.Join(folder, "bot.yaml")
	persona := filepath.Join(folder, "persona.md")
	for name, text := range map[string]string{w.file: "access: {mode: allowlist}\n", persona: "You are the first."} {
		must(t, os.WriteFile(name, []byte(text), 0o600))
	}
	w.env = slices.DeleteFunc(w.env, func(e string) bool { return strings.HasPrefix(e, "BOT_ACCESS_MODE=") })
	w.env = append(w.env, "BOT_AGENT_PROMPT_FILE="+persona)
	w.run(t)
	w.saying(t, 1, 1, "I own this")

	for settings, want := range map[string]string{"access: {mode: open, owner: []}\n": "access.owners?",
		"access: {mode: open}\nlog: {level: loud}\n": "log.level"} {
		w.hangUp(t, settings, "nothing was changed")
		if log := w.log.String(); !strings.Contains(log, want) {
			t.Errorf("the log does not name the mistake, %s: %s", want, log)
		}
	}
	if got := w.saying(t, 7, 7, "may I?"); !strings.Contains(got, "private assistant") {
		t.Errorf("a reload with a mistake let a stranger in: %q", got)
	}

	must(t, os.WriteFile(persona, []byte("You are the second."), 0o600))
	w.hangUp(t, "access: {mode: open}\nlog: {level: debug}\nagent: {name: Other}\n", "some settings change with the next start only")
	if log := w.log.String(); !strings.Contains(log, `changed="access.mode, log.level"`) || !strings.Contains(log, "settings=agent.name") {
		t.Errorf("the log does not say what changed: %s", log)
	}
	if got := w.saying(t, 7, 7, "and now?"); got != "and now?" {
		t.Errorf("the new mode is not in force: %q", got)
	}
	reqs := w.llm.Requests()
	if last := string(reqs[len(reqs)-1].Raw); !strings.Contains(last, "You are the second.") {
		t.Errorf("the new persona is not in force: %s", last)
	}
	if got := w.saying(t, 1, 1, "/config show"); !strings.Contains(got, `mode: "open"`) || !strings.Contains(got, `name: "Parley"`) {
		t.Errorf("/config does not show what is in force: %s", got)
	}

	w.hangUp(t, "access: {mode: open}\nlimits: {user_tokens_per_day: 1}\n", "changed=\"limits.user_tokens_per_day, log.level\"")
	if got := w.saying(t, 7, 7, "over the limit"); !strings.Contains(got, "allowance is used up") {
		t.Errorf("the new limit is not in force: %q", got)
	}
}
