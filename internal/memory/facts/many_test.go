package facts_test

import (
	"fmt"
	"slices"
	"testing"

	"parley/internal/db/engine"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/memorytest"
)

// crowd gives people more facts than are scored without the word index.
func crowd(t testing.TB, s *memory.Store, people ...string) {
	t.Helper()
	must(t, s.Facts.DB().Write(bg, func(tx *engine.Tx) error {
		for i := range len(people) * (facts.MaxCandidates + 1) {
			user := people[i%len(people)]
			_, err := tx.Exec(`INSERT INTO key_facts (scope, subject, owner, platform, channel, content, type, author, confidence, valid_from, created_at, updated_at)
				VALUES ('person', ?, ?, 'x', ?, ?, 'fact', 'user', 1, '', '', '')`, user, facts.OwnerWord(user), "dm-"+user, fmt.Sprintf("hums tune%d", i))
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

// For a person with many facts the word index finds the relevant ones, with the same results.
func TestFactsAmongMany(t *testing.T) {
	s := memorytest.Open(t, memory.Options{})
	v, other := direct("x:a"), direct("x:b")
	crowd(t, s, v.User, other.User)
	save(t, s, v, "Ann is allergic to peanuts", "important")
	save(t, s, v, "Ann plays the cello")
	old := save(t, s, v, "Standup is at 9am every day")
	if f := save(t, s, v, "Standup is at 10am every day"); f.ID != old.ID || f.Replaced != old.Content {
		t.Errorf("not corrected: %+v", f)
	}
	if f := save(t, s, other, "Standup is at 10am every day"); f.ID == old.ID || f.Replaced != "" {
		t.Errorf("another's was corrected: %+v", f)
	}
	for _, text := range []string{"cellos", "celllo"} {
		if got, err := s.Facts.SearchFacts(bg, v, text, 5); err != nil || !slices.Equal(contents(got), []string{"Ann plays the cello"}) {
			t.Errorf("%s: %q, %v", text, contents(got), err)
		}
		if got, err := s.Facts.SearchFacts(bg, other, text, 5); err != nil || len(got) > 0 {
			t.Errorf("%s, somebody else: %q, %v", text, contents(got), err)
		}
	}
	k, err := s.Facts.FactsFor(bg, v, "does she hum tune8?", 4000)
	must(t, err)
	if got := contents(k.Important); !slices.Equal(got, []string{"Ann is allergic to peanuts"}) || len(k.Recent) != facts.RecentFacts ||
		k.Recent[0].Content != "Standup is at 10am every day" {
		t.Errorf("important %q, recent %q", got, contents(k.Recent))
	}
	if got := contents(k.Relevant); len(got) < facts.RelevantFacts || got[0] != "hums tune8" {
		t.Errorf("relevant %q", got)
	}
}

// Among many, a fact is found however ß is written, in it and in the question.
func TestFactsAmongManyBySpellings(t *testing.T) {
	s := memorytest.Open(t, memory.Options{})
	v := direct("x:a")
	save(t, s, v, "Ann hat Schuhgröße 43")
	must(t, s.Facts.DB().Write(bg, func(tx *engine.Tx) error {
		_, err := tx.Exec("UPDATE key_facts SET updated_at = ''")
		return err
	}))
	crowd(t, s, v.User)
	got, err := s.Facts.SearchFacts(bg, v, "SCHUHGRÖSSE", 5)
	if err != nil || !slices.Equal(contents(got), []string{"Ann hat Schuhgröße 43"}) {
		t.Errorf("%q, %v", contents(got), err)
	}
}
