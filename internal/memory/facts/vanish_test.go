package facts_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/db/engine"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/memorytest"
	"parley/internal/text/catalog"
)

// Two people save, guess, correct, mark, keep, forget, clear and undo facts at random, in
// direct chats and in a channel. No fact vanishes because of a weaker one or of another person,
// everybody is told every change they made, and undoing restores each earlier state exactly.
func TestNothingVanishesUnseen(t *testing.T) {
	steps := 200
	if testing.Short() {
		steps = 80
	}
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			clock := &clockAt{time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)}
			w := &walk{t: t, r: rand.New(rand.NewPCG(seed, 7)), clock: clock, s: memorytest.Open(t, memory.Options{Now: clock.now}),
				back: map[string][]station{}}
			for i := range steps {
				w.step = i
				w.on()
			}
		})
	}
}

// walk is a random walk.
type walk struct {
	t     *testing.T
	r     *rand.Rand
	clock *clockAt
	s     *memory.Store
	step  int
	at    int // number of the present state; a restored state has its old number
	last  int // highest number so far
	// back holds the stations of each person's changes that are not undone, the oldest first.
	back map[string][]station
}

// station is all facts before a change, with the numbers of the states before and after it.
type station struct {
	pictures
	before, after int
}

// walkers are two people in their direct chats and in one channel.
var walkers = []facts.Viewer{direct("x:a"), direct("x:b"), in("x:a", "c", ""), in("x:b", "c", "")}

// pictures are all facts by ID, with their history.
type pictures map[int64]string

func (w *walk) look() (map[int64]facts.Fact, pictures) {
	all, shown := map[int64]facts.Fact{}, pictures{}
	for _, v := range walkers {
		list, err := w.s.Facts.Facts(bg, v, 1000, 0)
		must(w.t, err)
		for _, f := range list {
			now, before, err := w.s.Facts.FactHistory(bg, v, f.ID)
			must(w.t, err)
			all[f.ID], shown[f.ID] = f, fmt.Sprint(now, before)
		}
	}
	return all, shown
}

func (w *walk) pick(list ...string) string { return list[w.r.IntN(len(list))] }

func (w *walk) sentence() string {
	switch w.r.IntN(6) {
	case 0:
		return w.pick("Wife", "Mum", "Dad") + "'s birthday is " + w.pick("4 May", "5 May", "14 June")
	case 1:
		return w.pick("Likes ", "Does not like ") + w.pick("coffee", "tea")
	case 2:
		return "Lives in " + w.pick("Rome", "Paris", "Oslo")
	case 3:
		return w.pick("Mag Tee", "Mag keinen Tee", "Wohnt in Bern", "Wohnt in Basel", "Das Passwort ist 17", "Das Passwort ist 18")
	case 4:
		return w.pick("Vive en Madrid", "Vive en Lima", "Le gusta el té", "No le gusta el té")
	}
	return "Standup is at " + w.pick("9am", "10am") + " every day"
}

// asker returns an administrator.
func asker(v facts.Viewer) facts.Asker {
	return facts.Asker{Viewer: v, Admin: func(context.Context) bool { return true }}
}

// on takes one step and checks the rules.
func (w *walk) on() {
	w.clock.t = w.clock.t.Add(time.Minute)
	v := walkers[w.r.IntN(len(walkers))]
	if n := len(w.back[v.User]); n > 0 && w.r.IntN(3) == 0 {
		w.undo(v)
		return
	}
	before, shown := w.look()
	last := w.latest(v)
	weight, later := w.act(v, before)
	after, now := w.look()
	told := w.told(v)
	w.seen(v, before, after, weight)
	w.said(told)
	switch id := w.latest(v); {
	case id == last && !maps.Equal(shown, now):
		w.t.Fatalf("step %d: something changed, and nothing can be undone", w.step)
	case id == last:
		return
	case later && !slices.ContainsFunc(told, func(c facts.Change) bool { return c.ID == id || c.Batch == id }) && len(now) > len(shown):
		w.t.Fatalf("step %d: a guess is not told: %+v", w.step, told)
	}
	w.last++
	w.back[v.User] = append(w.back[v.User], station{pictures: shown, before: w.at, after: w.last})
	w.at = w.last
}

// latest returns the latest change of a person, in any place.
func (w *walk) latest(v facts.Viewer) (id int64) {
	must(w.t, w.s.Facts.DB().QueryRow("SELECT coalesce(max(id), 0) FROM fact_changes WHERE user_id = ?", v.User).Scan(&id))
	return id
}

// act changes something as v. It returns the weight of the change, and whether it is told
// later.
func (w *walk) act(v facts.Viewer, all map[int64]facts.Fact) (weight int, later bool) {
	var ids []int64
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if _, _, err := w.s.Facts.FactHistory(bg, v, id); err == nil {
			ids = append(ids, id)
		}
	}
	var id int64
	if len(ids) > 0 {
		id = ids[w.r.IntN(len(ids))]
	}
	rank := facts.Rank(1 + w.r.IntN(3))
	f := facts.NewFact{Content: w.sentence(), Worth: facts.Worth{Rank: rank, Later: rank < facts.Kept}}
	if w.r.IntN(6) == 0 {
		f.Tags = []string{"important"}
	}
	if !v.Direct && w.r.IntN(2) == 0 {
		f.Scope = facts.ScopeChannel
	}
	weight = standing(facts.Fact{Rank: rank, Important: len(f.Tags) > 0})
	service, by, err := facts.Service{Rows: w.s.Facts}, asker(v), error(nil)
	switch op := w.r.IntN(14); {
	case op < 6 || id == 0:
		_, err = service.Save(bg, by, f)
		later = f.Later
	case op < 10:
		_, err = service.Correct(bg, by, id, f)
	case op == 10:
		_, err = service.Mark(bg, by, id, w.r.IntN(2) == 0)
	case op == 11:
		_, _, err = service.Keep(bg, by, id, 0)
	case op == 12:
		_, err = service.Forget(bg, by, id)
		weight = 100
	case w.r.IntN(4) == 0:
		_, _, err = w.s.Facts.ClearFacts(bg, v, false)
		weight = 100
	}
	must(w.t, err)
	return weight, later
}

// told returns the changes that an answer would tell v now, and notes them as told.
func (w *walk) told(v facts.Viewer) (list []facts.Change) {
	list, err := w.s.Facts.Untold(v, 1000)
	must(w.t, err)
	var ids []int64
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	must(w.t, w.s.Facts.DB().Write(bg, func(tx *engine.Tx) error { return facts.Told(tx, ids, w.clock.t) }))
	return list
}

func standing(f facts.Fact) int {
	if f.Important {
		return 2*int(f.Rank) + 1
	}
	return 2 * int(f.Rank)
}

// seen checks that each removed fact was no firmer than its replacement, was v's to change, and
// that v is told.
func (w *walk) seen(v facts.Viewer, before, after map[int64]facts.Fact, weight int) {
	w.t.Helper()
	var at int64
	must(w.t, w.s.Facts.DB().QueryRow("SELECT count(*) FROM fact_changes WHERE user_id = ? AND told = ''", v.User).Scan(&at))
	if at > 0 {
		w.t.Fatalf("step %d: %d changes are not told", w.step, at)
	}
	for id, was := range before {
		is, there := after[id]
		if there && is.Content == was.Content {
			if standing(is) < standing(was) && is.Rank < was.Rank {
				w.t.Fatalf("step %d: %+v stands less firmly: %+v", w.step, was, is)
			}
			continue
		}
		if was.Scope == facts.ScopePerson && was.Subject != v.User {
			w.t.Fatalf("step %d: %s changed what is about %s", w.step, v.User, was.Subject)
		}
		heir := is
		if !there { // forgotten, or another says the same
			var by int64
			must(w.t, w.s.Facts.DB().QueryRow("SELECT superseded_by FROM key_facts WHERE id = ?", id).Scan(&by))
			if heir = after[by]; by != 0 && facts.Compare(was.Content, heir.Content) != facts.Same {
				w.t.Fatalf("step %d: %q went for %q", w.step, was.Content, heir.Content)
			}
		}
		others := was.Origin.But(v.User).People
		if was.Scope != facts.ScopePerson && weight < 100 && slices.ContainsFunc(others,
			func(who string) bool { return !slices.Contains(heir.Origin.People, who) || there }) {
			w.t.Fatalf("step %d: %s changed what %v said: %q", w.step, v.User, others, was.Content)
		}
		if heir.ID != 0 && standing(heir) < standing(was) || heir.ID == 0 && weight < 100 {
			w.t.Fatalf("step %d: %q (%d) went for %q (%d)", w.step, was.Content, standing(was), heir.Content, standing(heir))
		}
		var noted int
		must(w.t, w.s.Facts.DB().QueryRow(
			"SELECT count(*) FROM fact_changes WHERE (fact_id = ? OR other_id = ?) AND told <> '' AND user_id = ? AND at = ?",
			id, id, v.User, engine.Stamp(w.clock.t)).Scan(&noted))
		if noted == 0 {
			w.t.Fatalf("step %d: %q went, and %s is not told", w.step, was.Content, v.User)
		}
	}
}

// said checks that notes name the replaced content.
func (w *walk) said(told []facts.Change) {
	for _, c := range told {
		if c.Kind == facts.Replaced && c.Was != c.Fact.Content && !strings.Contains(c.Note(catalog.Printer{}), c.Was) ||
			c.Note(catalog.Printer{}) == "" {
			w.t.Fatalf("step %d: of %+v is told %q", w.step, c, c.Note(catalog.Printer{}))
		}
	}
}

// undo takes back the latest change of a person.
func (w *walk) undo(v facts.Viewer) {
	stack := w.back[v.User]
	want := stack[len(stack)-1]
	var number int64
	must(w.t, w.s.Facts.DB().QueryRow(
		"SELECT coalesce((SELECT b.number FROM fact_changes b WHERE b.id = c.batch), c.number) FROM fact_changes c WHERE c.user_id = ? "+
			"ORDER BY c.id DESC LIMIT 1", v.User).Scan(&number))
	w.back[v.User] = stack[:len(stack)-1]
	alone := walkers[0]
	if v.User != alone.User {
		alone = walkers[1]
	}
	for _, from := range []facts.Viewer{alone, in(v.User, "c", "")} { // each sees what is theirs there
		done, err := facts.Service{Rows: w.s.Facts}.Undo(bg, asker(from), number)
		if err != nil {
			continue
		}
		_, back := w.look()
		for _, c := range done { // others may have changed other facts since
			if back[c.Fact.ID] != want.pictures[c.Fact.ID] {
				w.t.Fatalf("step %d: %+v undone:\n%s, want\n%s", w.step, c, back[c.Fact.ID], want.pictures[c.Fact.ID])
			}
		}
		if w.at != want.after {
			w.last++
			w.at = w.last
			return
		}
		if w.at = want.before; !maps.Equal(back, want.pictures) {
			w.t.Fatalf("step %d: %+v undone:\n%v, want\n%v", w.step, done, back, want.pictures)
		}
		return
	}
	if w.at == want.after {
		w.t.Fatalf("step %d: nothing happened since, and change %d cannot be undone", w.step, number)
	}
	// Somebody else changed the shared fact since, so neither this nor earlier changes can be
	// undone.
	w.back[v.User] = nil
}
