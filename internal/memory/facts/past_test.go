package facts_test

import (
	"strings"
	"testing"
	"time"

	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/memorytest"
)

// Facts file, export and list agree on the end of a fact, on whether it is past, and on its
// rank. The file survives a round trip.
func TestPastEverywhere(t *testing.T) {
	clock := &clockAt{time.Date(2026, 5, 10, 10, 0, 0, 0, time.UTC)}
	s := memorytest.Open(t, memory.Options{Now: clock.now})
	v, p := direct("x:a"), facts.Paper{User: "x:a", Path: "/f.md"}
	save(t, s, v, "Lives in Rome until June #important")
	guess(t, s, v, "Plays chess")
	file := func() string {
		t.Helper()
		done, err := s.Facts.SyncFacts(bg, p, "", false)
		must(t, err)
		must(t, s.Facts.FactsAgreed(bg, p, done))
		return done.Text
	}
	export := func() string {
		t.Helper()
		e, err := s.ExportPerson(bg, v.User)
		must(t, err)
		return e.Markdown()
	}
	if text, all := file(), export(); strings.Contains(text, "## Past") || !strings.Contains(all,
		"(until 31 May 2026) (fact, by user, said to be kept)") || !strings.Contains(all, "by assistant, guessed)") {
		t.Errorf("while it holds:\n%s\n%s", text, all)
	}
	clock.t = clock.t.AddDate(0, 2, 0)
	text, all := file(), export()
	if _, past, ok := strings.Cut(text, "## Past\n\n- [2026-05-10] Lives in Rome until June #important"); !ok ||
		strings.Contains(past, "chess") || !strings.Contains(all, "that is past") {
		t.Errorf("afterwards:\n%s\n%s", text, all)
	}
	// Read again, the file changes nothing. Imported elsewhere, the fact is past there, too.
	if done, err := s.Facts.SyncFacts(bg, p, text, true); err != nil || done.Text != text {
		t.Errorf("%v\n%s\nwant\n%s", err, done.Text, text)
	}
	read, err := facts.Parse(text)
	must(t, err)
	other := memorytest.Open(t, memory.Options{Now: clock.now})
	if _, err := other.Facts.ImportFacts(bg, v.User, v.Key, read.Facts); err != nil {
		t.Fatal(err)
	}
	list, err := other.Facts.Facts(bg, v, 10, 0)
	must(t, err)
	if len(list) != 2 || !list[0].Important || !list[0].Past(clock.t) || list[1].Rank != facts.Guessed {
		t.Errorf("%+v", list)
	}
}
