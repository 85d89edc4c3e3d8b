package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/llm/llmtest"
)

// What the command shows is what the agent would be given: facts, passages and
// notes, within one budget.
func TestRecallCommand(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	old := filepath.Join(dir, "old.jsonl")
	if err := os.WriteFile(old,
		[]byte(`{"platform":"archive","channel":"c","user":"alice","name":"Alice","text":"My sister Mia plays the cello.","at":"2024-05-01T10:00:00Z","id":"1"}
{"platform":"archive","channel":"c","user":"bob","name":"Bob","text":"How long has she played?","at":"2024-05-01T10:01:00Z","id":"2"}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	bot := func(args ...string) string {
		t.Helper()
		out, code := typed("", append([]string{"--data", data}, args...)...)
		if code != 0 {
			t.Fatalf("%v: exit %d, %s", args, code, out)
		}
		return out
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
	if got := bot("recall", "--user", "archive:alice", "--limit", "1", "cello"); strings.Contains(got, "cello") ||
		!strings.Contains(got, "nuts") {
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

// What was imported is found by what it means, with an embedding model at an
// address of its own; while that is away, by words.
func TestRecallCommandByMeaning(t *testing.T) {
	s := llmtest.NewServer()
	t.Cleanup(s.Close)
	s.Synonyms(map[string]string{"hound": "pooch", "dwells": "lives"})
	dir := t.TempDir()
	old := filepath.Join(dir, "old.jsonl")
	if err := os.WriteFile(old,
		[]byte(`{"platform":"archive","channel":"c","user":"alice","name":"Alice","text":"Our pooch lives upstairs.","at":"2024-05-01T10:00:00Z","id":"1"}
{"platform":"archive","channel":"c","user":"bob","name":"Bob","text":"Lovely weather today","at":"2024-05-01T10:01:00Z","id":"2"}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	bot := func(args ...string) string {
		t.Helper()
		out, code := typed("", append([]string{"--data", filepath.Join(dir, "data")}, args...)...)
		if code != 0 {
			t.Fatalf("%v: exit %d, %s", args, code, out)
		}
		return out
	}
	t.Setenv("BOT_MODEL_NAME", "builtin")
	t.Setenv("BOT_MODEL_EMBEDDING", llmtest.EmbeddingModel)
	t.Setenv("BOT_MODEL_EMBEDDING_URL", s.URL())
	if got := bot("sessions", "import", old); strings.Contains(got, "vectors") {
		t.Errorf("importing said %s", got)
	}
	ask := func() string {
		return bot("recall", "--user", "archive:alice", "--limit", "1", "where dwells that hound")
	}
	if got := ask(); !strings.Contains(got, "pooch") {
		t.Errorf("by meaning: %q", got)
	}
	t.Setenv("BOT_MODEL_EMBEDDING_URL", "http://127.0.0.1:1/v1")
	if got := ask(); !strings.HasPrefix(got, "Nothing of that is stored") {
		t.Errorf("without vectors: %q", got)
	}
	if got := bot("recall", "--user", "archive:alice", "--limit", "1", "pooch"); !strings.Contains(got, "pooch") {
		t.Errorf("by words: %q", got)
	}
	if err := os.WriteFile(old,
		[]byte(`{"platform":"archive","channel":"c","user":"alice","name":"Alice","text":"Now it lives downstairs.","at":"2024-05-02T10:00:00Z","id":"3"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := bot("sessions", "import", old); !strings.Contains(got, "1 message") || !strings.Contains(got,
		"the bot makes those that are missing") {
		t.Errorf("importing said %s", got)
	}
}
