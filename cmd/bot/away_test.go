package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNotesAreAway: a disk that is no longer mounted leaves what is known, and
// health and doctor say so.
func TestNotesAreAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := filepath.Join(t.TempDir(), "notes")
	must := func(err error) {
		t.Helper()
		must(t, err)
	}
	must(os.Mkdir(dir, 0o700))
	must(os.WriteFile(filepath.Join(dir, "tea.md"), []byte("# Tea\n\nSencha.\n"), 0o600))
	w.file = filepath.Join(t.TempDir(), "bot.yaml")
	must(os.WriteFile(w.file, []byte("vault: {dir: "+dir+"}\n"), 0o600))
	w.env = append(w.env, "BOT_VAULT_DIR="+dir)
	w.run(t)
	eventually(t, "the note is found", func() bool { return strings.Contains(w.say(t, 1, "/notes search sencha"), "tea.md") })
	if out, _ := w.call(t, "doctor"); !strings.Contains(out, dir+", 1 entries") {
		t.Errorf("doctor: %s", out)
	}
	must(os.Rename(dir, dir+".disk"))
	must(os.Mkdir(dir, 0o700))
	if out, code := w.call(t, "doctor"); code == 0 || !strings.Contains(out, "is its disk mounted?") {
		t.Errorf("doctor, %d: %s", code, out)
	}
	eventually(t, "the folder is away", func() bool { return strings.Contains(w.say(t, 1, "/notes status"), "the folder notes is away") })
	if got := w.say(t, 1, "/status"); !strings.Contains(got, "away") {
		t.Errorf("/status: %s", got)
	}
	if got := w.say(t, 1, "/notes search sencha"); !strings.Contains(got, "tea.md") {
		t.Errorf("while it is away: %s", got)
	}
}
