package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A wrong answer becomes a test from the chat: it fails, and passes once the playbook is
// right.
func TestRehearseThis(t *testing.T) {
	rules, data := t.TempDir(), filepath.Join(t.TempDir(), "data")
	file := filepath.Join(rules, "rules.yaml")
	wrong := "guidelines:\n  - {id: refund, condition: \"literal:refund\", reply: Within 14 days.}\n  - {id: vip, " +
		"condition: always, action: Be quick., tags: [vip]}\nvariables:\n  - {name: plan, description: d, per_person: true, " +
		"validation: {allowed_values: [free, plus]}}\n"
	write := func(text string) {
		must(t, os.WriteFile(file, []byte(text), 0o600))
	}
	write(wrong)
	t.Setenv("BOT_MODEL_NAME", "builtin")
	t.Setenv("BOT_PLAYBOOK_DIR", rules)
	bot := func(in string, args ...string) (string, int) { return typed(in, append(args, "--data", data)...) }
	out, _ := bot("Can I get a refund?\n/rehearse this should have said 14 days\n/rehearse this should have said \"30 days\"\n", "chat")
	script := regexp.MustCompile(`Written to (\S+\.txt)\.`).FindStringSubmatch(out)
	if script == nil || !strings.Contains(out, "That is what came of it.") {
		t.Fatal(out)
	}
	if out, code := bot("", "rehearse", script[1]); code == 0 || !strings.Contains(out, "Within 14 days.") {
		t.Errorf("before it is right: exit %d, %s", code, out)
	}
	write(strings.ReplaceAll(wrong, "14", "30"))
	if out, code := bot("", "rehearse", script[1]); code != 0 {
		t.Errorf("once it is right: exit %d, %s", code, out)
	}
	out, _ = bot("Can I get a refund?\n/rehearse this should not have applied refund\n/rehearse this should\n", "chat")
	script = regexp.MustCompile(`Written to (\S+\.txt)\.`).FindStringSubmatch(out)
	if script == nil || !strings.Contains(out, "Say what should have come of it") {
		t.Fatal(out)
	}
	if out, code := bot("", "rehearse", script[1]); code == 0 || !strings.Contains(out, "+ rule refund") {
		t.Errorf("a rule: exit %d, %s", code, out)
	}
}
