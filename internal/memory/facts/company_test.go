package facts_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/memorytest"
)

// In a group the facts of that group are found the same way, however many somebody there has
// told in private, whether the group has few or many itself.
func TestPrivateFactsChangeNothingInCompany(t *testing.T) {
	for _, shared := range []int{60, facts.MaxCandidates + 20} {
		if testing.Short() && shared > facts.MaxCandidates {
			continue // each fact is a commit
		}
		var seen [2]map[string][]string
		for i, private := range [][]string{nil, {"x:a"}} {
			clock := &clockAt{time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)}
			s := memorytest.Open(t, memory.Options{Now: clock.now})
			tells := func(v facts.Viewer, scope facts.Scope, n int, content string) {
				for k := range n {
					clock.t = clock.t.Add(time.Second)
					f := facts.NewFact{Content: fmt.Sprintf(content, k, k%7, k%5), Scope: scope}
					if k%4 == 0 { // outweighs what some words are worth more than others
						f.Tags = []string{"important"}
					}
					must(t, second(s.Facts.SaveFact(bg, v, f)))
				}
			}
			v := in("x:a", "club", "g1")
			tells(v, facts.ScopePerson, shared/3, "Saw film%d with band%d in hall%d")
			crowd(t, s, private...)
			tells(v, facts.ScopeChannel, shared-2*(shared/3), "The club met film%d with band%d in hall%d")
			tells(v, facts.ScopeGuild, shared/3, "Every doctor%d plays band%d by hall%d")
			seen[i] = shownOf(t, s, v)
		}
		if diff := cmp.Diff(seen[0], seen[1]); diff != "" {
			t.Errorf("%d shared facts, without and with private ones: %s", shared, diff)
		}
	}
}

// shownOf returns what is shown of facts, by how it was asked for.
func shownOf(t *testing.T, s *memory.Store, v facts.Viewer) map[string][]string {
	shown := map[string][]string{}
	for _, text := range []string{"band3 in hall2", "filn7", "which doctor did I see?", "halls of band1 and film4", "nothing like it"} {
		found, err := s.Facts.SearchFacts(bg, v, text, 12)
		must(t, err)
		shown["search "+text] = contents(found)
		found, err = s.Facts.FindFacts(bg, v, facts.Query{Text: text, Limit: 9, Offset: 3})
		must(t, err)
		shown["find "+text] = contents(found)
		k, err := s.Facts.FactsFor(bg, v, text, 2000)
		must(t, err)
		shown["for "+text] = contents(k.All())
		shown["best for "+text] = contents(k.Best())
	}
	return shown
}

// What somebody tells in private displaces nothing that they said in company.
func TestPrivateFactsDisplaceNoneOfCompany(t *testing.T) {
	clock := &clockAt{time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)}
	s := memorytest.Open(t, memory.Options{Now: clock.now})
	club := in("x:a", "club", "")
	for i := range 8 {
		for _, v := range []facts.Viewer{club, direct("x:a"), direct("x:a")} {
			clock.t = clock.t.Add(time.Minute)
			save(t, s, v, fmt.Sprintf("Saw film%d in %s", i, clock.t.Format("15:04")))
		}
	}
	n, err := s.Facts.PruneFacts(bg, 6)
	must(t, err)
	there, err := s.Facts.Facts(bg, club, 100, 0)
	must(t, err)
	all, err := s.Facts.Facts(bg, direct("x:a"), 100, 0)
	must(t, err)
	if n != 12 || len(there) != 6 || len(all) != 12 {
		t.Errorf("%d pruned, left %q there and %q in all", n, contents(there), contents(all))
	}
}
