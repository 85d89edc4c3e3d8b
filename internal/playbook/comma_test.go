package playbook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Commas that join nothing, and those that end a text inside braces, are reported as what
// they are; a rare letter is in few messages.
func TestCommas(t *testing.T) {
	for rule, want := range map[string]string{
		`{id: a, condition: literal:x, literal:y, action: z}`:           "inside {…} a comma ends a text",
		`{id: a, condition: "literal:x, literal:y", action: z}`:         "is read as one text",
		`{id: a, condition: "literal:hello, world", action: z}`:         "one text",
		`{id: a, condition: "literal:i", action: z}`:                    "nearly every message",
		`{id: a, condition: "literal:x OR literal:y", action: "z, or"}`: "",
	} {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, "a.yaml"), []byte("guidelines:\n  - "+rule+"\n"), 0o600))
		got := ""
		if b, err := Load(dir, Options{}); err != nil {
			got = err.Error()
		} else {
			for _, f := range Check(b, Known{}, nil) {
				got += f.String()
			}
		}
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", rule, got, want)
		}
	}
}
