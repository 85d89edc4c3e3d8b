package index

import (
	"slices"
	"strings"
	"testing"
)

func TestRelated(t *testing.T) {
	f := newFolder(t)
	for name, text := range map[string]string{
		"bread/Rye.md": "---\ntags: [baking]\n---\n# Rye bread\n\nSourdough from rye flour. See [[Starter]], " +
			"[oven](../Oven.md) and [[nobody]].",
		"Starter.md":       "Feed it daily.",
		"Oven.md":          "230 degrees. For [[bread/Rye]].",
		"Home.md":          "[rye](bread/Rye.md#crust)",
		"Old.md":           "[[Other/Rye]] is another.",
		"Other/Rye.md":     "A town in Sussex.",
		"Cake.md":          "#baking with sourdough flour",
		"Far.md":           "The tax office opens at nine.",
		"v1.2 release.md":  "x",
		"points to 1.2.md": "[[v1.2 release]]",
	} {
		f.put(name, text)
	}
	f.refresh()
	related := func(path string) Related {
		t.Helper()
		r, err := f.Related(t.Context(), Entry{Source: "notes", Path: path}, Hidden{})
		must(t, err)
		return r
	}
	r := related("bread/Rye.md")
	if got := pathsOf(r.Linking); got != "Home.md Oven.md" {
		t.Errorf("linking: %s", got)
	}
	if got := pathsOf(r.Linked); got != "Starter.md" {
		t.Errorf("linked: %s", got) // the oven stands above
	}
	if got := pathsOf(r.Near); !strings.HasPrefix(got, "Cake.md") || strings.Contains(got, "Far.md") {
		t.Errorf("near: %s", got)
	}
	if got := pathsOf(related("Other/Rye.md").Linking); got != "Old.md" {
		t.Errorf("of the other of the same name: %s", got)
	}
	if got := pathsOf(related("v1.2 release.md").Linking); got != "points to 1.2.md" {
		t.Errorf("a dot in the name: %s", got)
	}
}

func TestFind(t *testing.T) {
	f := newFolder(t)
	for name, text := range map[string]string{
		"agent-notes/plan.md":  "---\naliases: [Der Plan, roadmap]\n---\n# Zürich trip",
		"deep/Other plan.md":   "# Something else",
		"deep/plan.md":         "x",
		"deep/er/v1.2.md":      "x",
		"deep/Zürich trip.md":  "# ÄPFEL",
		"deep/100%_sure.md":    "x",
		"deep/100XYsure.md":    "x",
		"deep/er/Trip/note.md": "x",
	} {
		f.put(name, text)
	}
	f.refresh()
	for name, want := range map[string]string{
		"agent-notes/plan.md": "agent-notes/plan.md",
		"plan":                "agent-notes/plan.md", // as a note that is written to
		"PLAN":                "agent-notes/plan.md|deep/plan.md",
		"deep/plan":           "deep/plan.md",
		"roadmap":             "agent-notes/plan.md",
		"der plan":            "agent-notes/plan.md",
		"zürich TRIP":         "agent-notes/plan.md|deep/Zürich trip.md",
		"äpfel":               "deep/Zürich trip.md",
		"Something else":      "deep/Other plan.md",
		"[[Other plan]]":      "deep/Other plan.md",
		"v1.2":                "deep/er/v1.2.md",
		"trip/note":           "deep/er/Trip/note.md",
		"100%_sure":           "deep/100%_sure.md",
		"0%_sure":             "",
		"nobody":              "",
	} {
		found, err := f.Find(t.Context(), name, Hidden{})
		must(t, err)
		var got []string
		for _, e := range found {
			got = append(got, e.Path)
		}
		slices.Sort(got)
		if strings.Join(got, "|") != want {
			t.Errorf("%q is %q, not %q", name, got, want)
		}
	}
}
