package index

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/notes/frontmatter"
)

// dated returns a folder of notes with dates in their name, properties or text, or only with
// a time of change.
func dated(t *testing.T) *folder {
	t.Helper()
	f := newFolder(t)
	for name, text := range map[string]string{
		"2026-11-10.md": "Watered the garden.", "Journal/2026-05-12 Tue.md": "Planted the garden.",
		"meeting.md": "---\ndate: 2026-11-11\nstatus: open\n---\nTalked about the garden fence.",
		"old.md":     "---\nstatus: Done\naddress:\n  city: Lyon\n---\nThe garden shed.", "fresh.md": "Garden tools.",
		"plan.md": "Garden party on 14 May.",
	} {
		f.put(name, text)
	}
	for name, at := range map[string]time.Time{"old.md": time.Date(2024, 1, 5, 12, 0, 0, 0, time.UTC),
		"plan.md":  time.Date(2024, 1, 5, 12, 0, 0, 0, time.UTC),
		"fresh.md": time.Date(2026, 11, 12, 12, 0, 0, 0, time.UTC)} {
		must(t, os.Chtimes(filepath.Join(f.dir, name), at, at))
	}
	f.refresh()
	return f
}

func period(from, to string) *Period {
	a, _ := time.Parse(time.DateOnly, from)
	b, _ := time.Parse(time.DateOnly, to)
	return &Period{From: a, To: b, In: func(text string) bool { return strings.Contains(text, "14 May") && a.Month() == time.May }}
}

func TestPassagesOfAPeriodComeFirst(t *testing.T) {
	f := dated(t)
	for name, c := range map[string]struct {
		q    Query
		want string // hits of the period, in any order
	}{
		"a week":        {Query{Text: "garden", During: period("2026-11-09", "2026-11-16")}, "2026-11-10.md fresh.md meeting.md"},
		"no word of it": {Query{Text: "what did I write", During: period("2026-11-09", "2026-11-16")}, "2026-11-10.md fresh.md meeting.md"},
		"no words":      {Query{During: period("2026-11-09", "2026-11-16")}, "2026-11-10.md fresh.md meeting.md"},
		"a month":       {Query{Text: "garden May", During: period("2026-05-01", "2026-06-01")}, "Journal/2026-05-12 Tue.md plan.md"},
		"a day":         {Query{Text: "garden", During: period("2026-11-10", "2026-11-11")}, "2026-11-10.md"},
		"nothing of it": {Query{Text: "garden", During: period("2020-01-01", "2020-02-01")}, ""},
		"with a folder": {Query{Text: "garden", Folder: "Journal", During: period("2026-05-01", "2026-06-01")}, "Journal/2026-05-12 Tue.md"},
	} {
		hits, err := f.Search(t.Context(), c.q)
		must(t, err)
		of, others := map[string]bool{}, false
		for _, h := range hits {
			if h.During && others {
				t.Errorf("%s: %s comes behind another", name, h.Path)
			}
			if others = others || !h.During; h.During {
				of[h.Path] = true
			}
		}
		for _, want := range strings.Split(strings.ReplaceAll(c.want, "2 Tue", "2_Tue"), " ") {
			if want = strings.ReplaceAll(want, "2_Tue", "2 Tue"); want != "" && !of[want] {
				t.Errorf("%s: %s is not of it: %v", name, want, of)
			}
			delete(of, want)
		}
		if len(of) > 0 || c.q.Text == "garden" && c.q.Folder == "" && !others {
			t.Errorf("%s: %v too; others: %v", name, of, others)
		}
	}
}

func TestSearchByProperties(t *testing.T) {
	f := dated(t)
	for name, c := range map[string]struct {
		of   []frontmatter.Property
		text string
		want string
	}{
		"a value":       {[]frontmatter.Property{{Key: "status", Value: "open"}}, "garden", "meeting.md"},
		"in any case":   {[]frontmatter.Property{{Key: "Status", Value: "done"}}, "garden", "old.md"},
		"any value":     {[]frontmatter.Property{{Key: "status"}}, "shed", "old.md"},
		"without words": {[]frontmatter.Property{{Key: "status", Value: "open"}}, "", "meeting.md"},
		"below a key":   {[]frontmatter.Property{{Key: "city", Value: "lyon"}}, "", "old.md"},
		"both":          {[]frontmatter.Property{{Key: "status", Value: "done"}, {Key: "city", Value: "Berlin"}}, "garden", ""},
		"no such":       {[]frontmatter.Property{{Key: "%", Value: ""}}, "garden", ""},
	} {
		if got := f.ask(Query{Text: c.text, Properties: c.of}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
