package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestNotesByTime: people find notes by when they were, by tags, properties and
// folders, in the words or as options.
func TestNotesByTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := t.TempDir()
	week := time.Now().UTC().AddDate(0, 0, -7).Format(time.DateOnly)
	for name, text := range map[string]string{
		"Journal/" + week + ".md": "Watered the garden. #plants", "2020-05-12.md": "Planted the garden.",
		"fence.md": "---\ndate: 2020-06-01\nstatus: open\n---\nThe garden fence.",
		"shops.md": "The bakery opens at 8:00.", "errands.md": "Bakery opens 9:30.",
	} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	w.env = append(w.env, "BOT_VAULT_DIR="+dir)
	w.run(t)
	eventually(t, "the notes are read", func() bool { return strings.Contains(w.say(t, 1, "/notes search fence"), "fence.md") })
	for ask, want := range map[string]string{
		"garden last week":          week + ".md",
		"garden letzte Woche":       week + ".md",
		"was war 2020-05-12":        "2020-05-12.md",
		`garden when:"12 May 2020"`: "2020-05-12.md",
		"when:2020-06":              "fence.md",
		"garden #plants":            week + ".md",
		"garden tag:plants":         week + ".md",
		"garden folder:Journal":     week + ".md",
		"garden [status:open]":      "fence.md",
		"property:status:open":      "fence.md",
		"in 2020":                   "2020-05-12.md fence.md",
		"when does the bakery open": "These notes disagree:",
		"garden in 2011":            "Nothing is from that time (2011-01-01 to 2011-12-31)",
		"":                          "What shall I look for?",
	} {
		got := w.say(t, 1, "/notes search "+ask)
		for _, name := range []string{week + ".md", "2020-05-12.md", "fence.md"} {
			if strings.Contains(want, ".md") && strings.Contains(got, name) != strings.Contains(want, name) {
				t.Errorf("%q: %q, want %s", ask, got, want)
			}
		}
		if !strings.Contains(want, ".md") && !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %s", ask, got, want)
		}
	}
}
