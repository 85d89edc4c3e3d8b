package terminal

import (
	"os"
	"path/filepath"
	"testing"
)

// TestForget: typed lines and saved files go with a person of this terminal,
// and stay where somebody else is forgotten.
func TestForget(t *testing.T) {
	dir := t.TempDir()
	kept := []string{filepath.Join(dir, "history"), filepath.Join(dir, "exports", "parley-export.md")}
	if err := os.Mkdir(filepath.Join(dir, "exports"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range kept {
		if err := os.WriteFile(path, []byte("zebra"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := New(Options{HistoryFile: kept[0], Downloads: filepath.Join(dir, "exports")})
	for _, tt := range []struct {
		user string
		left int
	}{{"telegram:42", 2}, {"terminal:local", 0}, {"terminal:local", 0}} {
		if err := a.Forget(t.Context(), tt.user); err != nil {
			t.Fatal(err)
		}
		left := 0
		for _, path := range kept {
			if _, err := os.Stat(path); err == nil {
				left++
			}
		}
		if left != tt.left {
			t.Errorf("%d files left after %s was forgotten, want %d", left, tt.user, tt.left)
		}
	}
}
