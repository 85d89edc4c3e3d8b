package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPlaybookCheck(t *testing.T) {
	t.Parallel()
	if out, code := typed("", "playbook", "check", "../../config/playbook"); code != 0 {
		t.Errorf("the example: exit %d, %s", code, out)
	}
	if out, code := typed("", "playbook", "check", t.TempDir()+"/none"); code != exitFailure {
		t.Errorf("no folder: exit %d, %s", code, out)
	}
}

// What people wrote counts as use of a rule, also where another one won.
func TestPlaybookCheckDays(t *testing.T) {
	dir, data := t.TempDir(), filepath.Join(t.TempDir(), "data")
	rules := `guidelines:
  - {id: hello, condition: "literal:hello", action: Greet.}
  - {id: quiet, condition: "literal:hello", action: Whisper., excludes: [loud]}
  - {id: loud, condition: "literal:hello", action: Shout.}
  - {id: bye, condition: "literal:good night", action: Part.}
`
	must(t, os.WriteFile(filepath.Join(dir, "rules.yaml"), []byte(rules), 0o600))
	t.Setenv("BOT_MODEL_NAME", "builtin")
	t.Setenv("BOT_PLAYBOOK_DIR", dir)
	bot := func(in string, args ...string) (string, int) { return typed(in, append(args, "--data", data)...) }
	if out, code := bot("", "playbook", "check", "--days", "7"); code != 0 {
		t.Errorf("without a data folder: exit %d, %s", code, out)
	}
	if _, err := os.Stat(data); err == nil {
		t.Error("looking made a data folder")
	}
	if out, code := bot("hello\n", "chat"); code != 0 {
		t.Fatal(out)
	}
	if out, code := bot("", "playbook", "check"); code != 0 {
		t.Errorf("not asked for: exit %d, %s", code, out)
	}
	out, code := bot("", "playbook", "check", "--days", "7")
	if code != exitFailure || !strings.Contains(out, "rules.yaml:5: bye: never matched") || strings.Count(out, "never matched") != 1 {
		t.Errorf("exit %d, %s", code, out)
	}
}

// Guards are played against recordings and against the bot's own conversations.
func TestPlaybookReplay(t *testing.T) {
	dir, data := t.TempDir(), filepath.Join(t.TempDir(), "data")
	guards := `guards:
  - {id: listed, tool: complete_task, require: 'last("list_tasks").result contains "#1"', say: List them first.}
  - {id: short, tool: add_task, require: 'len(args.description) < 5', otherwise: confirm}
`
	log := `[{"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "complete_task", "arguments": "{\"id\": 1}"}}]}, {"role": "tool", "tool_call_id": "a", "content": "ok"}]`
	for name, text := range map[string]string{"guards.yaml": guards, "log.json": log} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	t.Setenv("BOT_MODEL_NAME", "builtin")
	bot := func(in string, args ...string) (string, int) { return typed(in, append(args, "--data", data)...) }
	if out, code := bot("add a task to call mom\nshow my tasks\ndone with #1\n", "chat"); code != 0 {
		t.Fatal(out)
	}
	for _, c := range []struct {
		in   string
		args []string
		code int
		want string
	}{
		{"", []string{filepath.Join(dir, "log.json")}, 0,
			"1, message 0: complete_task {\"id\": 1}: refused by listed: there is no earlier call of list_tasks\n1 " +
				"conversation, 1 call, of which 1 guarded: 0 would have been refused, 1 refused for something missing"},
		{log, []string{"-", "--json"}, 0,
			`"guard":"listed","ruling":"refused","say":"List them first.","lacks":"there is no earlier call of list_tasks"}`},
		{"", []string{"--history", "1d"}, 0,
			"confirm by short\n1 conversation, 3 calls, of which 2 guarded: 0 would have been refused, 0 refused for something " +
				"missing, 1 asked about, 0 handed over, 1 allowed"},
		{"", []string{"--history", "soon"}, exitFailure, "no length of time"},
		{"", nil, exitFailure, "name a file"},
		{"", []string{filepath.Join(dir, "guards.yaml")}, exitFailure, "not JSON"},
	} {
		out, code := bot(c.in, append([]string{"playbook", "replay", "--dir", dir}, c.args...)...)
		if code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%v: exit %d, %s", c.args, code, out)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--daat", "x"}, exitUsage, `did you mean "--data"`},
		{[]string{"version"}, 0, "parley"},
		{[]string{"help"}, 0, "Usage"},
		{[]string{"chat", "--config", "no-such.yaml"}, exitUsage, "no-such.yaml"},
	} {
		if out, code := typed("", tt.args...); code != tt.code || !strings.Contains(out, tt.want) {
			t.Errorf("%v: exit %d, %s", tt.args, code, out)
		}
	}
}
