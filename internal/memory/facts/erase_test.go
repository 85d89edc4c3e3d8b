package facts_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/memorytest"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Nobody can read a forgotten fact, and no byte of an erased one stays in the files. A
// forgotten fact is erased after a day.
func TestForgottenAndErased(t *testing.T) {
	clock := &clockAt{time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)}
	s := memorytest.Open(t, memory.Options{Now: clock.now})
	v := direct("x:a")
	words := []string{"xylophone", "zeppelin", "quokka", "marimba", "sousaphone", "theremin"}
	left := func() (out []string) {
		for _, w := range words {
			if inFiles(t, s, [][]byte{[]byte(w)}) > 0 {
				out = append(out, w)
			}
		}
		return out
	}
	want := func(what string, list ...string) {
		t.Helper()
		if got := strings.Join(left(), " "); got != strings.Join(list, " ") {
			t.Errorf("%s: the files have %q, want %q", what, got, list)
		}
	}
	now, waits, later := save(t, s, v, "The hobby is xylophone"), save(t, s, v, "Owns a quokka"), save(t, s, v, "Plays the marimba")
	must(t, second(s.Facts.UpdateFact(bg, v, now.ID, facts.NewFact{Content: "The hobby is zeppelin"})))
	want("before", "xylophone", "zeppelin", "quokka", "marimba")

	must(t, second(s.Facts.ForgetFact(bg, v, waits.ID)))
	must(t, second(s.Facts.ForgetFact(bg, v, later.ID)))
	e, err := s.ExportPerson(bg, v.User)
	must(t, err)
	found, err := s.Facts.SearchFacts(bg, v, "quokka marimba", 10)
	must(t, err)
	done, err := s.Facts.SyncFacts(bg, facts.Paper{User: v.User, Path: "/f.md"}, "", false)
	must(t, err)
	known, err := s.Facts.FactsFor(bg, v, "quokka marimba", 1000)
	must(t, err)
	all := e.Markdown() + strings.Join(contents(found), " ") + done.Text + strings.Join(contents(known.Recent), " ") +
		strings.Join(contents(known.Relevant), " ")
	if strings.Contains(all, "quokka") || strings.Contains(all, "marimba") || !strings.Contains(all, "zeppelin") {
		t.Errorf("forgotten, and still shown:\n%s", all)
	}

	service := facts.Service{Rows: s.Facts}
	must(t, second(service.Erase(bg, facts.Asker{Viewer: v}, now.ID)))
	want("erased at once, with its history", "quokka", "marimba")
	if f, err := service.FindErasable(bg, facts.Asker{Viewer: v}, waits.ID); err != nil || f.Content != "Owns a quokka" {
		t.Errorf("what waits for Undo: %+v, %v", f, err)
	}
	if _, err := service.Erase(bg, facts.Asker{Viewer: direct("x:b")}, waits.ID); !errors.Is(err, facts.ErrNone) {
		t.Errorf("somebody else erases it: %v", err)
	}
	must(t, second(service.Erase(bg, facts.Asker{Viewer: v}, waits.ID)))
	want("erased while it waited", "marimba")
	clock.t = clock.t.Add(24*time.Hour + time.Second)
	must(t, s.Facts.PruneChanges(bg))
	want("after a day")

	save(t, s, v, "Owns a sousaphone")
	gone := save(t, s, v, "Hears the theremin")
	must(t, second(s.Facts.ForgetFact(bg, v, gone.ID)))
	if n, c, err := s.Facts.ClearFacts(bg, v, true); err != nil || n != 1 || c.ID != 0 {
		t.Errorf("%d, %+v, %v", n, c, err)
	}
	want("cleared at once")
}

// Forgetting a person also deletes the facts that wait for Undo.
func TestForgottenPersonLeavesNoUndo(t *testing.T) {
	s := memorytest.Open(t, memory.Options{})
	v := direct("x:a")
	gone := save(t, s, v, "Plays the marimba")
	must(t, second(s.Facts.ForgetFact(bg, v, gone.ID)))
	must(t, s.ForgetPerson(bg, v.User, 0))
	if n := inFiles(t, s, [][]byte{[]byte("marimba")}); n > 0 {
		t.Error("it is still in the files")
	}
	if _, err := (facts.Service{Rows: s.Facts}).Undo(bg, facts.Asker{Viewer: v}, 0); !errors.Is(err, facts.ErrNoChange) {
		t.Errorf("undone: %v", err)
	}
}

// A former administrator of a place can undo nothing there.
func TestUndoAsksWhoMay(t *testing.T) {
	s := memorytest.Open(t, memory.Options{})
	service, admin := facts.Service{Rows: s.Facts}, true
	a := facts.Asker{Viewer: in("x:a", "c", ""), Admin: func(context.Context) bool { return admin }}
	saved, err := service.Save(bg, a, facts.NewFact{Scope: facts.ScopeChannel, Content: "The meeting is on Monday"})
	must(t, err)
	gone, err := service.Forget(bg, a, saved.ID)
	must(t, err)
	admin = false
	if _, err := service.Undo(bg, a, gone.Number); !refusedInWords(err) {
		t.Errorf("a former administrator undid it: %v", err)
	}
	if _, err := service.Erase(bg, a, saved.ID); !refusedInWords(err) {
		t.Errorf("a former administrator erased it: %v", err)
	}
	if list, err := s.Facts.Facts(bg, a.Viewer, 10, 0); err != nil || len(list) > 0 {
		t.Errorf("%q, %v", contents(list), err)
	}
	admin = true
	must(t, second(service.Undo(bg, a, gone.Number)))
}

func refusedInWords(err error) bool { _, ok := text.ForPeople(err); return ok }

// Marking, keeping and repeating a fact can be undone like other changes. Change 0 is the latest
// that was told.
func TestUndoOfMarks(t *testing.T) {
	clock := &clockAt{time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)}
	s := memorytest.Open(t, memory.Options{Now: clock.now})
	v := direct("x:a")
	service, a := facts.Service{Rows: s.Facts}, facts.Asker{Viewer: v}
	tick := func() { clock.t = clock.t.Add(time.Minute) }
	f := guess(t, s, v, "Plays chess")
	tick()
	if again := save(t, s, v, "Plays chess", "fun"); !again.Known || again.Rank != facts.Kept {
		t.Errorf("said again: %+v", again)
	}
	tick()
	must(t, second(s.Facts.MarkFact(bg, v, f.ID, true)))
	if _, before, err := s.Facts.FactHistory(bg, v, f.ID); err != nil || len(before) > 0 {
		t.Errorf("history of marks: %+v, %v", before, err)
	}
	tick()
	untold := guess(t, s, v, "Lives in Oslo")
	for i, want := range []string{"#fun", ""} {
		done, err := service.Undo(bg, a, 0)
		must(t, err)
		if got := done[0].Fact; strings.Join(got.Tags, " ") != want || !strings.Contains(facts.Undid(catalog.Printer{}, done), "is as it was") {
			t.Errorf("%d: %+v, %q", i, got, facts.Undid(catalog.Printer{}, done))
		}
	}
	if now, _, err := s.Facts.FactHistory(bg, v, f.ID); err != nil || now.Rank != facts.Guessed {
		t.Errorf("%+v, %v", now, err)
	}
	if _, err := service.Undo(bg, a, 0); !errors.Is(err, facts.ErrNoChange) {
		t.Errorf("what was not told was undone: %v", err)
	}
	must(t, second(service.Undo(bg, a, untold.Change.Number)))

	// Keep and undo.
	rome := guess(t, s, v, "Lives in Rome")
	kept, gone, err := service.Keep(bg, a, rome.ID, 0)
	must(t, err)
	if kept.Rank != facts.Kept || gone.ID != 0 {
		t.Errorf("%+v, %+v", kept, gone)
	}
	must(t, second(service.Undo(bg, a, 0)))
	if now, _, err := s.Facts.FactHistory(bg, v, rome.ID); err != nil || now.Rank != facts.Guessed {
		t.Errorf("kept, and back: %+v, %v", now, err)
	}
}
