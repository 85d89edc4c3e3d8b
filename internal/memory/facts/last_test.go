package facts_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/memorytest"
)

// undo takes back what x:a saw or did last, and returns what they are told.
func (f *filed) undo() (string, error) {
	undone, err := facts.Service{Rows: f.Facts}.Undo(bg, facts.Asker{Viewer: direct("x:a")}, 0)
	var told []string
	for _, c := range undone {
		told = append(told, fmt.Sprintf("%s %s", c.Kind, c.Was))
	}
	return strings.Join(told, ", "), err
}

// Whatever changed a fact last, and where, is what Undo takes back first: the file, a command,
// a program of their own; what was learned unasked counts from when it is told.
func TestUndoMeansTheLastThatWasSeen(t *testing.T) {
	clock := &ticking{t: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	f := &filed{Store: memorytest.Open(t, memory.Options{Now: clock.now}), t: t}
	v := direct("x:a")
	save(t, f.Store, v, "plays the cello")
	save(t, f.Store, v, "lives in Ghent")
	must(t, f.sync("", false))
	add := func(content string, w facts.Worth) facts.Saved {
		saved, err := f.Facts.SaveFact(bg, v, facts.NewFact{Content: content, Worth: w})
		must(t, err)
		return saved
	}
	learned := add("walks a small dog", facts.Worth{Rank: facts.PickedUp, Later: true}) // and not told yet
	must(t, f.sync(f.text, true))
	must(t, f.sync(strings.Replace(f.text, "the cello", "the viola", 1), true))
	must(t, f.sync(strings.Replace(f.without(0), "lives in Ghent", "lives in Liège", 1)+"- rides a bike\n", true))
	add("likes green tea", facts.Worth{Rank: facts.Guessed, Source: facts.FromProgram, Later: true})
	tea := f.facts()
	list, err := f.Facts.Facts(bg, v, 10, 0)
	must(t, err)
	i := slices.IndexFunc(list, func(x facts.Fact) bool { return x.Content == "rides a bike" })
	must(t, second(f.Facts.ForgetFact(bg, v, list[i].ID)))
	for _, want := range []string{"forgotten rides a bike", "added likes green tea", "replaced lives in Liège, added rides a bike",
		"replaced plays the viola"} {
		if got, err := f.undo(); err != nil || got != want {
			t.Errorf("undone: %q, %v; want %q of %q", got, err, want, tea)
		}
	}
	if got := f.facts(); !slices.Equal(got, []string{"lives in Ghent", "plays the cello", "walks a small dog"}) {
		t.Errorf("%q", got)
	}
	// The file follows, and what it undid is no change of the file's any more.
	must(t, f.sync(f.text, true))
	if _, err := f.Facts.UndoFacts(bg); !errors.Is(err, facts.ErrNothingUndone) || len(f.facts()) != 3 || strings.Contains(f.text, "viola") {
		t.Errorf("%v, %q\n%s", err, f.facts(), f.text)
	}
	letter := []chat.Part{{Key: v.Key, To: chat.User{ID: v.User}, Text: "learned"}}
	must(t, f.Digest(bg, "digest", letter, []facts.Change{learned.Change}, clock.now()))
	if got, err := f.undo(); err != nil || got != "added walks a small dog" {
		t.Errorf("told since: %q, %v", got, err)
	}
}

// Undo takes nothing back that was changed again, and says what it is now; after an erasure
// for good it does not pick another change.
func TestUndoRefusesWhatChangedSince(t *testing.T) {
	clock := &ticking{t: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	f := &filed{Store: memorytest.Open(t, memory.Options{Now: clock.now}), t: t}
	v := direct("x:a")
	first := save(t, f.Store, v, "plays the cello")
	saved, err := f.Facts.UpdateFact(bg, v, first.ID, facts.NewFact{Content: "plays the viola",
		Worth: facts.Worth{Explicit: true, Later: true}})
	must(t, err)
	if _, err := f.undo(); !errors.Is(err, facts.ErrUndoOver) || !strings.Contains(err.Error(), "plays the viola") ||
		!strings.Contains(err.Error(), fmt.Sprintf("/facts undo %d", saved.Change.Number)) {
		t.Errorf("%v", err)
	}
	must(t, second(facts.Service{Rows: f.Facts}.Undo(bg, facts.Asker{Viewer: v}, saved.Change.Number)))
	gone, err := f.Facts.ForgetFact(bg, v, first.ID)
	must(t, err)
	service, asker := facts.Service{Rows: f.Facts}, facts.Asker{Viewer: v}
	if _, err := service.Undo(bg, asker, first.Change.Number); !errors.Is(err, facts.ErrUndoOver) ||
		!strings.Contains(err.Error(), fmt.Sprintf("“plays the cello” is forgotten. /facts undo %d", gone.Number)) {
		t.Errorf("forgotten since: %v", err)
	}
	must(t, second(service.Undo(bg, asker, gone.Number)))
	other := save(t, f.Store, v, "rides a bike")
	must(t, second(f.Facts.EraseFact(bg, v, other.ID)))
	if got, err := f.undo(); !errors.Is(err, facts.ErrErased) {
		t.Errorf("after an erasure: %q, %v", got, err)
	}
	save(t, f.Store, v, "likes tea")
	if got, err := f.undo(); err != nil || got != "added likes tea" {
		t.Errorf("%q, %v", got, err)
	}
}

// What somebody else changed since is not offered to whom it is not theirs to take back.
func TestUndoOffersTheirOwn(t *testing.T) {
	clock := &ticking{t: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	s := memorytest.Open(t, memory.Options{Now: clock.now})
	ann, bob := in("x:a", "c", ""), in("x:b", "c", "")
	said, err := s.Facts.SaveFact(bg, ann, facts.NewFact{Scope: facts.ScopeChannel, Content: "Standup is at 9am"})
	must(t, err)
	must(t, second(s.Facts.UpdateFact(bg, bob, said.ID, facts.NewFact{Content: "Standup is at 10am", Worth: facts.Worth{Explicit: true}})))
	service := facts.Service{Rows: s.Facts}
	_, err = service.Undo(bg, facts.Asker{Viewer: ann, Admin: func(context.Context) bool { return true }}, said.Change.Number)
	if !errors.Is(err, facts.ErrUndoOver) || strings.Contains(err.Error(), "/facts undo") {
		t.Errorf("%v", err)
	}
}

// ticking is a clock on which each look takes a second.
type ticking struct{ t time.Time }

func (c *ticking) now() time.Time {
	c.t = c.t.Add(time.Second)
	return c.t
}

// A file with more changes than are stored at once is refused whole, and its limit named; one
// below the limit is stored whole, whatever its writer meets in between.
func TestMuchAtOnce(t *testing.T) {
	f := newFiled(t, 2)
	before := f.facts()
	var b strings.Builder
	for i := range facts.MaxAtOnce {
		fmt.Fprintf(&b, "- hums tune %d\n", i)
	}
	unfit := (*facts.Unfit)(nil)
	limit := fmt.Sprint(facts.MaxAtOnce)
	if err := f.sync(f.text+b.String()+"- one more\n", true); !errors.As(err, &unfit) || !strings.Contains(err.Error(), limit) {
		t.Errorf("%v", err)
	}
	if got := f.facts(); !slices.Equal(got, before) {
		t.Errorf("taken over: %d", len(got))
	}
	limit = fmt.Sprint(facts.MaxLines)
	if err := f.sync(f.text+strings.Repeat("- x\n", facts.MaxLines), true); !errors.As(err, &unfit) || !strings.Contains(err.Error(), limit) {
		t.Errorf("%v", err)
	}
	began := time.Now()
	must(t, f.sync(f.text+b.String(), true))
	t.Logf("%d facts in %v", facts.MaxAtOnce, time.Since(began))
	var n int
	must(t, f.Facts.DB().QueryRow("SELECT count(*) FROM key_facts WHERE valid_to = ''").Scan(&n))
	if n != facts.MaxAtOnce+2 {
		t.Errorf("%d facts", n)
	}
	began = time.Now()
	if done, err := f.Facts.UndoFacts(bg); err != nil || done.Removed != int64(facts.MaxAtOnce) {
		t.Errorf("%+v, %v", done, err)
	}
	t.Logf("undone in %v", time.Since(began))
	if got := f.facts(); !slices.Equal(got, before) {
		t.Errorf("%d facts", len(got))
	}
	must(t, f.sync(f.text, true))
	must(t, f.sync(f.text+strings.Repeat("- x\n", facts.MaxLines-10), true))
	if got := f.facts(); len(got) != 3 {
		t.Errorf("%d facts", len(got))
	}
}
