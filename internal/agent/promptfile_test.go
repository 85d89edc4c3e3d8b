package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAPromptSavedWhileItIsReadIsReadAgain: else the old one would stay in force until the
// next change.
func TestAPromptSavedWhileItIsReadIsReadAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "persona.md")
	save := func(text string, at time.Time) {
		t.Helper()
		for _, err := range []error{os.WriteFile(file, []byte(text), 0o600), os.Chtimes(file, at, at)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
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
