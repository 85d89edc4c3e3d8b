package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// saved returns a file for a prompt, and what saves it there as of a time.
func saved(t *testing.T) (file string, save func(text string, at time.Time)) {
	file = filepath.Join(t.TempDir(), "persona.md")
	return file, func(text string, at time.Time) {
		t.Helper()
		for _, err := range []error{os.WriteFile(file, []byte(text), 0o600), os.Chtimes(file, at, at)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestAPromptSavedWhileItIsReadIsReadAgain: else the old one would stay in force until the
// next change.
func TestAPromptSavedWhileItIsReadIsReadAgain(t *testing.T) {
	file, save := saved(t)
	began := time.Now().Add(-time.Hour)
	save("You are old.", began)
	p := &promptFile{path: file, name: "P"}
	p.halfway = func() { p.halfway = nil; save("You are new.", began.Add(time.Minute)) }
	if err := p.load(); err != nil {
		t.Fatal(err)
	}
	if got := p.current(); !strings.HasPrefix(got, "You are new.") {
		t.Errorf("%.40q", got)
	}
}

// TestAPromptHasAnEnd: one that is too long is refused at the start; while the process runs, the
// last good one stays in force.
func TestAPromptHasAnEnd(t *testing.T) {
	file, save := saved(t)
	began := time.Now().Add(-time.Hour)
	save("\n"+strings.Repeat("ü", MaxPrompt)+"\n", began)
	a, err := New(Options{Persona: Persona{PromptFile: file}})
	if err != nil {
		t.Fatalf("as long as it may be: %v", err)
	}
	save(strings.Repeat("ü", MaxPrompt+1), began.Add(time.Minute))
	const says = "the prompt has 10001 characters; expected 1 to 10000"
	if err := a.ReloadPrompt(); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("reload: %v", err)
	}
	if got := a.prompt.current(); !strings.HasPrefix(got, "üü") || strings.Count(got, "ü") != MaxPrompt {
		t.Errorf("in force: %.20q…", got)
	}
	if _, err := New(Options{Persona: Persona{PromptFile: file}}); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("start: %v", err)
	}
}
