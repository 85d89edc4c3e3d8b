package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/llm/llmtest"
)

// agentsFile writes settings with two agents, and returns what runs the program with
// them.
func agentsFile(t *testing.T, agents string) (bot func(args ...string) (out string, code int)) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "bot.yaml")
	for name, text := range map[string]string{file: "access: {mode: pairing}\nagents:\n" + agents, filepath.Join(dir,
		"desk.md"): "You work at a desk."} {
		must(t, os.WriteFile(name, []byte(text), 0o600))
	}
	t.Setenv("BOT_MODEL_NAME", "builtin")
	t.Chdir(dir)
	return func(args ...string) (string, int) {
		return typed("remember that the cellar key is green\n",
			append([]string{"--config", file, "--data", filepath.Join(dir, "data")}, args...)...)
	}
}

// TestRecallOfAnAgent: bot recall shows what one of several agents would be given, and
// nothing that another was told.
func TestRecallOfAnAgent(t *testing.T) {
	bot := agentsFile(t, "  - {name: desk, persona: desk.md, places: [\"discord:guild:99\"]}\n  - {name: home, persona: "+
		"desk.md, places: [default]}\n")
	if out, code := bot("chat", "--user", "ann"); code != 0 {
		t.Fatal(out)
	}
	for agent, knows := range map[string]bool{"": true, "home": true, "desk": false} {
		args := []string{"recall", "--user", "ann"}
		if agent != "" {
			args = append(args, "--agent", agent)
		}
		if out, code := bot(append(args, "which key is green?")...); code != 0 || strings.Contains(out, "cellar key is green") != knows {
			t.Errorf("--agent %q: exit %d\n%s", agent, code, out)
		}
	}
	if out, code := bot("recall", "--user", "ann", "--agent", "nobody", "key"); code == 0 || !strings.Contains(out, "nobody") {
		t.Errorf("an agent that is none: exit %d\n%s", code, out)
	}
}

// TestDoctorLooksAtAgents: doctor says where each agent answers, and what is wrong with
// its files.
func TestDoctorLooksAtAgents(t *testing.T) {
	for name, tt := range map[string]struct {
		agents string
		want   []string
		exit   int
	}{
		"all is well": {"  - {name: desk, persona: desk.md, places: [\"discord:guild:99\", \"telegram:42\"]}\n",
			[]string{"ok   agent desk         answers in discord:guild:99, telegram:42\n"}, 0},
		"nowhere": {"  - {name: desk, persona: desk.md}\n",
			[]string{"warn agent desk         answers nowhere: set its places, or use /agent use desk"}, 0},
		"no persona":  {"  - {name: desk, persona: missing.md, places: [default]}\n", []string{"BAD  agent desk ", "missing.md"}, 1},
		"no playbook": {"  - {name: desk, playbook: missing, places: [default]}\n", []string{"BAD  agent desk ", "missing"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			out, code := agentsFile(t, tt.agents)("doctor")
			for _, want := range tt.want {
				if !strings.Contains(out, want) {
					t.Errorf("%q is not said:\n%s", want, out)
				}
			}
			if (code != 0) != (tt.exit != 0) {
				t.Errorf("exit %d:\n%s", code, out)
			}
		})
	}
}

// TestAgentsHaveRoutesAndLimits: each agent is answered by its own models and stops at
// its own limits, while the others go on.
func TestAgentsHaveRoutesAndLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := llmtest.NewServer()
	t.Cleanup(other.Close)
	w.llm.Respond(func(llmtest.Request) llmtest.Turn { return llmtest.Turn{Text: "from main", Usage: [2]int{600, 0}} })
	other.Respond(func(r llmtest.Request) llmtest.Turn {
		if strings.Contains(string(r.Raw), "which tasks") {
			return llmtest.Turn{Calls: []llmtest.Call{{ID: fmt.Sprint(len(r.Raw)), Name: "list_tasks", Args: "{}"}}, Usage: [2]int{1, 0}}
		}
		return llmtest.Turn{Text: "from spare", Usage: [2]int{600, 0}}
	})
	w.modelsInFile()
	w.file = filepath.Join(t.TempDir(), "bot.yaml")
	settings := fmt.Sprintf(`models:
  - {name: main, base_url: %q, model: test}
  - {name: spare, base_url: %q, model: test}
routes: {answer: [main]}
agents:
  - {name: desk, places: ["telegram:1"], routes: {answer: [spare]}, limits: {user_tokens_per_day: 500}}
  - {name: lab, places: ["telegram:2"], routes: {answer: [spare]}, limits: {max_tool_iterations: 1}}
  - {name: home, places: [default]}
`, w.llm.URL(), other.URL())
	must(t, os.WriteFile(w.file, []byte(settings), 0o600))
	w.run(t)
	for _, s := range []struct {
		who       int64
		say, want string
	}{
		{1, "hi", "from spare"},
		{1, "/why", "spare (test) answered"},
		{1, "and again", "renews at midnight UTC"},
		{3, "hi", "from main"},
		{3, "and again", "from main"},
		{3, "/why", "main (test) answered"},
		{2, "hi", "from spare"},
		{2, "which tasks do I have?", "steps"},
	} {
		if got := w.saying(t, s.who, s.who, s.say); !strings.Contains(got, s.want) {
			t.Errorf("%d, %s: %q lacks %q", s.who, s.say, got, s.want)
		}
	}
	steps := 0
	for _, r := range other.Requests() {
		if strings.Contains(string(r.Raw), "which tasks") {
			steps++
		}
	}
	if steps != 1 {
		t.Errorf("the lab may ask once for a message, and asked %d times", steps)
	}
}
