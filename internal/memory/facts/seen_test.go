package facts_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/memorytest"
	"parley/internal/text/catalog"
)

// guess saves a fact that a model composed.
func guess(t testing.TB, s *memory.Store, v facts.Viewer, content string) facts.Saved {
	t.Helper()
	f, err := s.Facts.SaveFact(bg, v, facts.NewFact{Content: content, Author: "assistant",
		Worth: facts.Worth{Rank: facts.Guessed, Later: true}})
	must(t, err)
	return f
}

func held(t testing.TB, s *memory.Store, v facts.Viewer) []string {
	t.Helper()
	list, err := s.Facts.Facts(bg, v, 1000, 0)
	must(t, err)
	out := contents(list)
	slices.Sort(out)
	return out
}

// A guess about another person, or against a person's words, replaces nothing.
func TestAGuessReplacesNothing(t *testing.T) {
	s := memorytest.Open(t, memory.Options{})
	v := direct("x:a")
	first := save(t, s, v, "Wife has her birthday on 4 May #important")
	mum := guess(t, s, v, "Mum has her birthday on 4 May")
	if mum.ID == first.ID || mum.Change.Other.ID != 0 {
		t.Errorf("about somebody else: %+v", mum)
	}
	wrong := guess(t, s, v, "Wife has her birthday on 5 May")
	if wrong.ID == first.ID || wrong.Change.Other.ID != first.ID {
		t.Errorf("a guess replaced a saved fact: %+v", wrong)
	}
	coffee := save(t, s, v, "Likes coffee")
	if no := guess(t, s, v, "Does not like coffee"); no.ID == coffee.ID || no.Change.Other.ID != coffee.ID {
		t.Errorf("a negative guess replaced a saved fact: %+v", no)
	}
	untold, err := s.Facts.Untold(v, 10)
	must(t, err)
	if len(untold) != 3 || !strings.Contains(untold[1].Note(catalog.Printer{}), "Wife has her birthday on 4 May") ||
		len(untold[1].Buttons(catalog.Printer{})) != 3 {
		t.Errorf("to be told: %+v", untold)
	}
	if got := held(t, s, v); len(got) != 5 {
		t.Errorf("%q", got)
	}
	// Their own words replace nothing in doubt, or if the other fact is important.
	if f := save(t, s, v, "Does not like coffee at all"); f.Replaced != "" {
		t.Errorf("in doubt: %+v", f)
	}
	if f := save(t, s, v, "Wife has her birthday on 6 May"); f.Replaced != "" || f.Change.Other.ID == 0 {
		t.Errorf("an important fact was replaced: %+v", f)
	}
}

// Of two contradicting facts, the person settles it by saying one of them again.
func TestSayingItAgainSettles(t *testing.T) {
	clock := &clockAt{time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)}
	s := memorytest.Open(t, memory.Options{Now: clock.now})
	v := direct("x:a")
	rome := save(t, s, v, "Lives in Rome")
	guess(t, s, v, "Lives in Paris")
	clock.t = clock.t.Add(time.Minute)
	if again := guess(t, s, v, "Lives in Paris"); !again.Known || len(held(t, s, v)) != 2 {
		t.Errorf("a repeated guess counted for more: %+v, %q", again, held(t, s, v))
	}
	said := save(t, s, v, "I live in Paris now")
	if said.ID != rome.ID || !strings.Contains(said.Change.Note(catalog.Printer{}), "It replaces: “Lives in Rome”") ||
		len(held(t, s, v)) != 1 {
		t.Errorf("%+v, %q", said, held(t, s, v))
	}
	must(t, second(s.Facts.Undo(bg, v, said.Change.ID)))
	if got := held(t, s, v); !slices.Equal(got, []string{"Lives in Paris", "Lives in Rome"}) {
		t.Errorf("undone: %q", got)
	}
}

// Words of a person replace guesses and facts that were picked up.
func TestAPersonCorrectsInOneRow(t *testing.T) {
	clock := &clockAt{time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)}
	s := memorytest.Open(t, memory.Options{Now: clock.now})
	v := direct("x:a")
	f := guess(t, s, v, "Lives in Rome")
	clock.t = clock.t.Add(time.Hour)
	picked, err := s.Facts.SaveFact(bg, v, facts.NewFact{Content: "Ann lives in Rome", Author: "assistant",
		Worth: facts.Worth{Rank: facts.PickedUp, Spoken: "I live in Paris"}})
	must(t, err)
	if picked.Rank != facts.Guessed || picked.ID == f.ID {
		t.Errorf("not their words: %+v", picked)
	}
	paris, err := s.Facts.SaveFact(bg, v, facts.NewFact{Content: "Lives in Paris", Author: "assistant",
		Worth: facts.Worth{Rank: facts.PickedUp, Spoken: "we moved, it's Paris now"}})
	must(t, err)
	if paris.ID != f.ID || paris.Replaced != "Lives in Rome" || paris.Rank != facts.PickedUp || !paris.Created.Equal(f.Created) {
		t.Errorf("a correction with their own words: %+v", paris)
	}
	other, err := s.Facts.SaveFact(bg, v, facts.NewFact{Content: "Ann likes the sea", Worth: facts.Worth{Rank: facts.Kept,
		Spoken: "Remember that I like the sea"}})
	must(t, err)
	mum, err := s.Facts.SaveFact(bg, v, facts.NewFact{Content: "Mum likes the opera", Worth: facts.Worth{Rank: facts.Kept,
		Spoken: "Remember that I like the opera"}})
	must(t, err)
	if other.Rank != facts.Kept || mum.Rank != facts.Guessed || !facts.AsksToKeep("Remember that I like the sea") ||
		facts.AsksToKeep("I like the sea") {
		t.Errorf("asked for: %+v; of somebody else: %+v", other, mum)
	}
	if back := guess(t, s, v, "Lives in Rome"); back.ID == f.ID {
		t.Errorf("a guess took it back: %+v", back)
	}
}

// In a channel nobody's words replace those of another person.
func TestNobodyReplacesAnothersFact(t *testing.T) {
	s := memorytest.Open(t, memory.Options{})
	ann, bob := in("x:a", "c", ""), in("x:b", "c", "")
	said, err := s.Facts.SaveFact(bg, ann, facts.NewFact{Scope: facts.ScopeChannel, Content: "Standup is at 9am"})
	must(t, err)
	other, err := s.Facts.SaveFact(bg, bob, facts.NewFact{Scope: facts.ScopeChannel, Content: "Standup is at 10am"})
	must(t, err)
	if other.ID == said.ID || other.Change.Other.ID != said.ID {
		t.Errorf("%+v", other)
	}
	if own, err := s.Facts.SaveFact(bg, ann, facts.NewFact{Scope: facts.ScopeChannel, Content: "Standup is at 9:30"}); err != nil ||
		own.Replaced != "" {
		t.Errorf("one of two contradicting facts was replaced: %+v, %v", own, err)
	}
	if _, err := s.Facts.Undo(bg, ann, other.Change.ID); !errors.Is(err, facts.ErrNoChange) {
		t.Errorf("another's change was undone: %v", err)
	}
}

func TestUndo(t *testing.T) {
	clock := &clockAt{time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)}
	s := memorytest.Open(t, memory.Options{Now: clock.now})
	v := direct("x:a")
	tick := func() { clock.t = clock.t.Add(time.Minute) }
	f := save(t, s, v, "Standup is at 9am every day #work")
	tick()
	g := save(t, s, v, "Standup is at 10am every day", "important")
	tick()
	if _, err := s.Facts.Undo(bg, v, f.Change.ID); !errors.Is(err, facts.ErrUndoOver) {
		t.Errorf("an older change: %v", err)
	}
	must(t, second(s.Facts.Undo(bg, v, g.Change.ID)))
	now, before, err := s.Facts.FactHistory(bg, v, f.ID)
	must(t, err)
	if now.Content != f.Content || strings.Join(now.Tags, " ") != "#work" || now.Important || len(before) != 0 ||
		!now.Updated.Equal(f.Updated) || now.Previous != "" {
		t.Errorf("not restored: %+v, %+v", now, before)
	}
	if found, err := s.Facts.SearchFacts(bg, v, "10am", 5); err != nil || len(found) > 0 && found[0].Content != f.Content {
		t.Errorf("%q, %v", contents(found), err)
	}
	// A forgotten fact comes back.
	gone, err := s.Facts.ForgetFact(bg, v, f.ID)
	must(t, err)
	if can, err := s.Facts.Undoables(bg, v, 10); err != nil || len(can) != 1 || can[0].ID != gone.ID ||
		can[0].Note(catalog.Printer{}) != gone.Note(catalog.Printer{}) {
		t.Errorf("may be taken back: %+v, %v; want %+v", can, err, gone)
	}
	if len(held(t, s, v)) != 0 || !strings.Contains(gone.Note(catalog.Printer{}), "Forgotten") {
		t.Errorf("%q, %q", held(t, s, v), gone.Note(catalog.Printer{}))
	}
	if found, err := s.Facts.SearchFacts(bg, v, "standup", 5); err != nil || len(found) > 0 {
		t.Errorf("found although it is forgotten: %q, %v", contents(found), err)
	}
	tick()
	must(t, second(facts.Service{Rows: s.Facts}.Undo(bg, facts.Asker{Viewer: v}, 0)))
	if got := held(t, s, v); !slices.Equal(got, []string{f.Content}) {
		t.Errorf("%q", got)
	}
	if _, err := s.Facts.Undo(bg, v, gone.ID); !errors.Is(err, facts.ErrNoChange) {
		t.Errorf("twice: %v", err)
	}
	// All forgotten facts come back together.
	save(t, s, v, "Likes tea")
	n, all, err := s.Facts.ClearFacts(bg, v, false)
	must(t, err)
	if can, err := s.Facts.Undoables(bg, v, 10); err != nil || len(can) != 1 || can[0].ID != all.ID {
		t.Errorf("may be taken back: %+v, %v; want %+v", can, err, all)
	}
	if undone, err := s.Facts.Undo(bg, v, all.ID); err != nil || n != 2 || len(undone) != 2 || len(held(t, s, v)) != 2 {
		t.Errorf("%d, %+v, %v", n, undone, err)
	}
	// After a day Undo is too late, and the fact is deleted from the database.
	gone, err = s.Facts.ForgetFact(bg, v, f.ID)
	must(t, err)
	clock.t = clock.t.Add(24*time.Hour + time.Second)
	if _, err := s.Facts.Undo(bg, v, gone.ID); !errors.Is(err, facts.ErrUndoLate) {
		t.Errorf("after a day: %v", err)
	}
	if can, err := s.Facts.Undoables(bg, v, 10); err != nil || len(can) != 0 {
		t.Errorf("may be taken back after a day: %+v, %v", can, err)
	}
	must(t, s.Facts.PruneChanges(bg))
	var rows int
	must(t, s.Facts.DB().QueryRow("SELECT count(*) FROM key_facts").Scan(&rows))
	if rows != 1 {
		t.Errorf("%d rows", rows)
	}
	// A guess that was undone is not learned again from old words.
	up := guess(t, s, v, "Plays the cello")
	clock.t = clock.t.Add(time.Hour)
	must(t, second(s.Facts.Undo(bg, v, up.Change.ID)))
	if again, err := s.Facts.SaveFact(bg, v, facts.NewFact{Content: "Plays the cello", Said: clock.t.Add(-time.Minute)}); err != nil ||
		again.ID != 0 {
		t.Errorf("learned again from old words: %+v, %v", again, err)
	}
}

// A fact that has ended is shown as past and contradicts nothing.
func TestFactsThatHoldForATime(t *testing.T) {
	at := time.Date(2026, 5, 10, 10, 0, 0, 0, time.UTC) // a Sunday
	for content, want := range map[string]string{
		"Lives in Rome until June":                "2026-06-01",
		"On leave until 5 June":                   "2026-06-06",
		"On leave until June 5th":                 "2026-06-06",
		"On leave until the end of June":          "2026-07-01",
		"Works in Oslo until March":               "2027-03-01",
		"Has a visa until 2027-01-31":             "2027-02-01",
		"Has a visa until 31 January 2029":        "2029-02-01",
		"Vegan until 2028":                        "2028-01-01",
		"On call until Friday":                    "2026-05-16",
		"In Urlaub bis 5. Juni":                   "2026-06-06",
		"En congé jusqu'au 5 juin":                "2026-06-06",
		"De vacaciones hasta junio":               "2026-06-01",
		"On leave through June":                   "2026-07-01",
		"On leave until next week":                "2026-05-11",
		"On leave until the end of the week":      "2026-05-11",
		"On leave until next month":               "2026-06-01",
		"On leave until the end of the year":      "2027-01-01",
		"On holiday for the next two weeks":       "2026-05-25",
		"On leave until Christmas":                "2026-12-26",
		"Has therapy every week until July":       "2026-07-01",
		"Sunday market until the start of June":   "2026-06-01",
		"In Urlaub bis Freitag":                   "2026-05-16",
		"Wohnt bis Ende Juni in Bern":             "2026-07-01",
		"Ist bis 05.06.2026 in Bern":              "2026-06-06",
		"Ist bis zum 5.6. in Bern":                "2026-06-06",
		"In Elternzeit bis Jahresende":            "2027-01-01",
		"Arbeitet die nächsten drei Monate hier":  "2026-08-11",
		"Vive en Lima hasta el 5 de junio":        "2026-06-06",
		"Vive en Lima hasta fin de año":           "2027-01-01",
		"De baja hasta el viernes":                "2026-05-16",
		"En congé jusqu'à fin juin":               "2026-07-01",
		"On leave until yesterday":                "2026-05-10",
		"Krank bis gestern":                       "2026-05-10",
		"De baja hasta ayer":                      "2026-05-10",
		"Kam nur bis hier":                        "",
		"Shop is open until May each year":        "",
		"Stays every Friday until Sunday":         "",
		"Always works until Friday":               "",
		"Lived in Rome until March":               "",
		"Wohnte bis März in Bern":                 "",
		"Reads until the 5th page":                "",
		"Drives until the end of the road":        "",
		"Has a visa until 31 February 2029":       "",
		"Never sleeps until midnight":             "",
		"Waits until somebody calls":              "",
		"Worked on the untilled field since June": "",
	} {
		clock := &clockAt{at}
		s := memorytest.Open(t, memory.Options{Now: clock.now})
		got := ""
		if f := save(t, s, direct("x:a"), content); !f.Ends.IsZero() {
			got = f.Ends.Format(time.DateOnly)
		}
		if got != want {
			t.Errorf("%q ends %q, want %q", content, got, want)
		}
	}
	clock := &clockAt{at}
	s := memorytest.Open(t, memory.Options{Now: clock.now})
	v := direct("x:a")
	rome := save(t, s, v, "Lives in Rome until June")
	if line := s.Facts.Line(catalog.Printer{}, rome.Fact); !strings.Contains(line, "(until 31 May 2026)") {
		t.Error(line)
	}
	clock.t = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	if line := s.Facts.Line(catalog.Printer{}, rome.Fact); !strings.Contains(line, "that is past") {
		t.Error(line)
	}
	if f := save(t, s, v, "Lives in Paris until June"); f.ID == rome.ID || f.Change.Other.ID != 0 {
		t.Errorf("a past fact was contradicted: %+v", f)
	}
}

// Words, tags and dates narrow a search.
func TestFindFacts(t *testing.T) {
	clock := &clockAt{time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)}
	s := memorytest.Open(t, memory.Options{Now: clock.now})
	v := direct("x:a")
	save(t, s, v, "Plays the cello #music")
	clock.t = clock.t.AddDate(0, 1, 0)
	save(t, s, v, "Plays chess #fun")
	save(t, s, direct("x:b"), "Plays the harp #music")
	june := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		q    facts.Query
		want string
	}{
		{facts.Query{Text: "plays"}, "Plays chess|Plays the cello"},
		{facts.Query{Text: "plays", Tag: "Music"}, "Plays the cello"},
		{facts.Query{Tag: "#fun"}, "Plays chess"},
		{facts.Query{Tag: "mus"}, ""},
		{facts.Query{Since: june}, "Plays chess"},
		{facts.Query{Before: june}, "Plays the cello"},
		{facts.Query{Text: "plays", Before: june}, "Plays the cello"},
		{facts.Query{Text: "plays", Limit: 1, Offset: 1}, "Plays the cello"},
		{facts.Query{Limit: 1, Offset: 1}, "Plays the cello"},
		{facts.Query{Text: "plays", Offset: 7}, ""},
	} {
		if got, err := s.Facts.FindFacts(bg, v, tt.q); err != nil || strings.Join(contents(got), "|") != tt.want {
			t.Errorf("%+v: %q, %v, want %q", tt.q, contents(got), err, tt.want)
		}
	}
	if n, err := s.Facts.CountFacts(bg, v); err != nil || n != 2 {
		t.Errorf("%d, %v", n, err)
	}
}

// A line that moves to another section of the file is the same fact.
func TestDatesAreNoPartOfAFact(t *testing.T) {
	f := newFiled(t, 1)
	text := strings.Replace(f.text, "## Important\n", "## Important\n\n- [2026-05-01] likes tea\n"+
		strings.Split(f.text[strings.Index(f.text, "\n- ")+1:], "\n")[0], 1)
	text = text[:strings.LastIndex(text, "\n- ")] + "\n"
	must(t, f.sync(text, true))
	if got := f.facts(); !slices.Equal(got, []string{"likes tea", "number 0 is aaaaa"}) || f.tags() != "#important#important" {
		t.Errorf("%q, %s\n%s", got, f.tags(), f.text)
	}
}

// The state of a sync counts only for its person and its file.
func TestFactsFileOfAnotherPerson(t *testing.T) {
	f := newFiled(t, 3)
	theirs := strings.Replace(f.text, "subject: \"x:a\"\n", "", 1)
	other := facts.Paper{User: "x:b", Path: paper.Path}
	if _, err := f.Facts.SyncFacts(bg, other, theirs, true); err == nil || !strings.Contains(err.Error(), "not about x:b") {
		t.Errorf("another person's lines were accepted: %v", err)
	}
	save(t, f.Store, direct("x:b"), "Plays the harp")
	done, err := f.Facts.SyncFacts(bg, other, "", false)
	must(t, err)
	must(t, f.Facts.FactsAgreed(bg, other, done))
	if strings.Contains(done.Text, "number 0") || !strings.Contains(done.Text, "harp") {
		t.Errorf("x:b's file:\n%s", done.Text)
	}
	// The first person's file is not affected.
	must(t, f.sync(f.without(1), true))
	if got := f.facts(); len(got) != 2 {
		t.Errorf("%q", got)
	}
	elsewhere := facts.Paper{User: "x:a", Path: "/other.md"}
	if done, err = f.Facts.SyncFacts(bg, elsewhere, "# Key Facts\n", true); err != nil || len(f.facts()) != 2 ||
		!strings.Contains(done.Text, f.facts()[0]) {
		t.Errorf("facts missing in another file were deleted: %v, %q", err, f.facts())
	}
}
