package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What the command shows is what the agent would be given: facts, passages and
// notes, within one budget.
func TestRecallCommand(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	old := filepath.Join(dir, "old.jsonl")
	if err := os.WriteFile(old, []byte(`{"platform":"archive","channel":"c","user":"alice","name":"Alice","text":"My sister Mia plays the cello.","at":"2024-05-01T10:00:00Z","id":"1"}
{"platform":"archive","channel":"c","user":"bob","name":"Bob","text":"How long has she played?","at":"2024-05-01T10:01:00Z","id":"2"}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	bot := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if code := run(append([]string{"--data", data}, args...), strings.NewReader(""), &out, &errs); code != 0 {
			t.Fatalf("%v: exit %d, %s", args, code, errs.String())
		}
		return out.String()
	}
	t.Setenv("BOT_VAULT_DIR", copyNotes(t))
	bot("sessions", "import", old)
	bot("facts", "add", "--user", "archive:alice", "Alice is allergic to nuts #important")
	got := bot("recall", "--user", "archive:alice", "what does Mia play, and how hot is green tea?")
	for _, want := range []string{"fact ", "allergic to nuts", "message 1 ", "plays the cello", "note tea.md"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing from\n%s", want, got)
		}
	}
	if got := bot("recall", "--user", "archive:alice", "--limit", "1", "cello"); strings.Contains(got, "cello") || !strings.Contains(got, "nuts") {
		t.Errorf("a limit of one:\n%s", got)
	}
	if got := bot("recall", "--json", "--user", "archive:carol", "zebra"); strings.TrimSpace(got) != "[]" {
		t.Errorf("nothing found is %s", got)
	}
	if got := bot("recall", "--user", "archive:carol", "cello nuts"); strings.Contains(got, "cello") || strings.Contains(got, "nuts") {
		t.Errorf("a stranger was shown\n%s", got)
	}
	// Out as a file, and back without loss.
	file := filepath.Join(dir, "facts.md")
	bot("facts", "export", "--user", "archive:alice", file)
	if got := bot("facts", "import", file); !strings.Contains(got, "0 facts") || !strings.Contains(got, "known already: 1") {
		t.Errorf("imported: %s", got)
	}
	if got := bot("facts", "forget", "1"); !strings.Contains(got, "allergic") {
		t.Errorf("forgotten: %s", got)
	}
	if got := bot("facts", "list"); got != "" {
		t.Errorf("left: %s", got)
	}
}
