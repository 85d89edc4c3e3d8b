package facts_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/memorytest"
)

var bg = context.Background()

// clockAt is a clock that tests set.
type clockAt struct{ t time.Time }

func (c *clockAt) now() time.Time { return c.t }

func direct(user string) facts.Viewer {
	return facts.Viewer{User: user, Key: chat.Key{Platform: "x", Channel: "dm-" + user}, Direct: true}
}

func in(user, channel, guild string) facts.Viewer {
	return facts.Viewer{User: user, Key: chat.Key{Platform: "x", Channel: channel}, Guild: guild}
}

func save(t testing.TB, s *memory.Store, v facts.Viewer, content string, tags ...string) facts.Saved {
	t.Helper()
	f, err := s.Facts.SaveFact(bg, v, facts.NewFact{Content: content, Tags: tags})
	must(t, err)
	return f
}

func contents(list []facts.Fact) (out []string) {
	for _, f := range list {
		out = append(out, f.Content)
	}
	return out
}

func TestFactHistory(t *testing.T) {
	clock := &clockAt{time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)}
	s := memorytest.Open(t, memory.Options{Now: clock.now})
	v := direct("x:a")
	first, err := s.Facts.SaveFact(bg, v, facts.NewFact{Content: "Ann prefers dark mode everywhere #UI", Session: "s1"})
	must(t, err)
	clock.t = clock.t.Add(time.Hour)
	got, err := s.Facts.SaveFact(bg, v, facts.NewFact{Content: "Ann prefers light mode everywhere", Session: "s2",
		Tags: []string{"important"}})
	must(t, err)
	if got.ID != first.ID || got.Replaced != "Ann prefers dark mode everywhere" || got.Session != "s2" ||
		strings.Join(got.Tags, " ") != "#important #ui" || !got.Important {
		t.Errorf("corrected: %+v", got)
	}
	f, before, err := s.Facts.FactHistory(bg, v, first.ID)
	must(t, err)
	if f.Previous != "Ann prefers dark mode everywhere" || len(before) != 1 || before[0].Content != f.Previous ||
		!before[0].Until.Equal(clock.t) {
		t.Errorf("history: %+v, %+v", f, before)
	}
	// Another fact that says the same is superseded.
	other := save(t, s, v, "Ann's editor is Vim")
	up, err := s.Facts.UpdateFact(bg, v, other.ID, facts.NewFact{Content: "Ann prefers light mode everywhere now"})
	must(t, err)
	list, err := s.Facts.Facts(bg, v, 0, 0)
	must(t, err)
	if len(list) != 1 || list[0].ID != up.ID {
		t.Errorf("after an update onto another: %q", contents(list))
	}
	// Words from before a correction do not undo it.
	late, err := s.Facts.SaveFact(bg, v, facts.NewFact{Content: "Ann prefers dark mode everywhere now", Said: clock.t.Add(-30 * time.Minute)})
	must(t, err)
	if !late.Known || late.Content != up.Content {
		t.Errorf("older words corrected a newer fact: %+v", late)
	}
	_, err = s.Facts.ForgetFact(bg, v, up.ID)
	must(t, err)
	if again, err := s.Facts.SaveFact(bg, v, facts.NewFact{Content: "Ann prefers light mode everywhere",
		Said: clock.t.Add(-time.Minute)}); err != nil || again.ID != 0 {
		t.Errorf("a forgotten fact came back: %+v, %v", again, err)
	}
}

func TestInvalidFactsAreRefused(t *testing.T) {
	s := memorytest.Open(t, memory.Options{})
	for text, want := range map[string]error{
		"": facts.ErrSize, " \t\n": facts.ErrSize, "#only #tags": facts.ErrSize, strings.Repeat("ä", facts.MaxLength+1): facts.ErrSize,
	} {
		if _, err := s.Facts.SaveFact(bg, direct("x:a"), facts.NewFact{Content: text}); !errors.Is(err, want) {
			t.Errorf("%.10q: %v", text, err)
		}
	}
	var tag *facts.TagError
	if _, err := s.Facts.SaveFact(bg, direct("x:a"), facts.NewFact{Content: "x", Tags: []string{"two words"}}); !errors.As(err, &tag) {
		t.Errorf("a tag with a space was accepted: %v", err)
	}
	for _, text := range []string{"NEAR( \" AND -x* ' OR", "ends in \x00 NUL \xff", strings.Repeat("ä", facts.MaxLength), "a\nb\r\u202Ec"} {
		f := save(t, s, direct("x:a"), text)
		if strings.ContainsAny(f.Content, "\n\x00\u202e") {
			t.Errorf("stored %q", f.Content)
		}
		if _, err := s.Facts.SearchFacts(bg, direct("x:a"), text, 5); err != nil {
			t.Errorf("search %.20q: %v", text, err)
		}
	}
	if _, err := s.Facts.ForgetFact(bg, direct("x:a"), 999); !errors.Is(err, facts.ErrNone) {
		t.Errorf("forget nothing: %v", err)
	}
	if _, err := s.Facts.SaveFact(bg, in("x:a", "c", ""), facts.NewFact{Content: "x", Scope: facts.ScopeGuild}); err == nil {
		t.Error("a fact for a missing server was accepted")
	}
}

func TestFactsForAMessage(t *testing.T) {
	clock := &clockAt{time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)}
	s := memorytest.Open(t, memory.Options{Now: clock.now})
	v := direct("x:a")
	save(t, s, v, "Ann is allergic to peanuts", "important")
	for _, word := range strings.Fields(
		"alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo " +
			"sierra tango uniform victor whiskey xray yankee zulu one two three four") {
		clock.t = clock.t.Add(time.Minute)
		save(t, s, v, "Ann keeps a "+word)
	}
	k, err := s.Facts.FactsFor(bg, v, "Tell me about the deltas you kept, and the wiskey", 4000)
	must(t, err)
	if got := contents(k.Important); len(got) != 1 || len(k.Recent) != 5 || k.Recent[0].Content != "Ann keeps a four" {
		t.Errorf("important %q, recent %q", got, contents(k.Recent))
	}
	got := contents(k.Relevant)
	if len(got) == 0 || got[0] != "Ann keeps a delta" || !slices.Contains(got, "Ann keeps a whiskey") {
		t.Errorf("relevant: %q", got)
	}
	if k, err := s.Facts.FactsFor(bg, v, "x", 2); err != nil || len(k.Important) != 0 || k.Cut != 1 {
		t.Errorf("over budget: %+v, %v", k, err)
	}
	clock.t = clock.t.Add(time.Minute)
	guess(t, s, v, "Plays the harp")
	n, err := s.Facts.PruneFacts(bg, 10)
	must(t, err)
	list, err := s.Facts.Facts(bg, v, 100, 0)
	must(t, err)
	if n != 21 || len(list) != 11 || !list[0].Important || slices.Contains(contents(list), "Plays the harp") {
		t.Errorf("pruned %d, left %q", n, contents(list))
	}
}

// anybody returns one of six people, in a direct chat or in one of four channels.
func anybody(r *rand.Rand) facts.Viewer {
	user := fmt.Sprintf("x:u%d", r.IntN(6))
	if r.IntN(3) == 0 {
		return direct(user)
	}
	return in(user, fmt.Sprintf("c%d", r.IntN(4)), []string{"", "g1", "g2"}[r.IntN(3)])
}

// Random people save and search facts in random places. Nobody ever sees a fact that the rules
// hide from them.
func TestFactsNeverLeak(t *testing.T) {
	t.Run("words", func(t *testing.T) { neverLeak(t, memorytest.Open(t, memory.Options{}), 10_000) })
	t.Run("vectors", func(t *testing.T) { neverLeak(t, memorytest.Open(t, (&embeddings{}).options()), 5_000) })
	t.Run("many", func(t *testing.T) {
		s := memorytest.Open(t, memory.Options{})
		crowd(t, s, "x:u0", "x:u1", "x:u2", "x:u3")
		neverLeak(t, s, 1_000)
	})
}

// secret is a fact and its author.
type secret struct {
	facts.Viewer
	scope facts.Scope
}

// shownTo states the rule independently of the query.
func (f secret) shownTo(v facts.Viewer) bool {
	switch f.scope {
	case facts.ScopePerson:
		return v.User == f.User && (v.Direct || v.Key == f.Key)
	case facts.ScopeChannel:
		return v.Key == f.Key
	}
	return v.Guild != "" && v.Server() == f.Server()
}

func neverLeak(t *testing.T, s *memory.Store, probes int) {
	r := rand.New(rand.NewPCG(1, 2))
	viewers := func() facts.Viewer { return anybody(r) }
	secrets := map[string]secret{}
	for i := range 150 {
		v, scope := viewers(), []facts.Scope{facts.ScopePerson, facts.ScopePerson, facts.ScopeChannel, facts.ScopeGuild}[r.IntN(4)]
		word := fmt.Sprintf("canary%dq%d", i, i*i)
		f, err := s.Facts.SaveFact(bg, v, facts.NewFact{Content: word + " sings of " + fmt.Sprint(r.Int64()), Scope: scope})
		if err != nil {
			continue // there is no server
		}
		secrets[word] = secret{v, f.Scope}
		if r.IntN(5) == 0 {
			_, err = s.Facts.MarkFact(bg, v, f.ID, true)
			must(t, err)
		}
	}
	embedAll(t, s)
	if testing.Short() {
		probes = 500
	}
	for range probes {
		v := viewers()
		var word string
		for word = range secrets {
			break
		}
		var list []facts.Fact
		var err error
		switch r.IntN(200) / 49 { // few writes, because each costs a commit
		case 0:
			list, err = s.Facts.Facts(bg, v, 1000, 0)
		case 1:
			list, err = s.Facts.SearchFacts(bg, v, word+" sings everybody owner x u1 o", 1000)
			must(t, err)
			var near []facts.Fact
			near, err = s.Facts.FindNear(bg, v, word+" sings")
			list = append(list, near...)
		case 2:
			var k facts.Known
			k, err = s.Facts.FactsFor(bg, v, "sings "+word, 10_000)
			list = slices.Concat(k.All(), k.Relevant)
		case 3:
			var f facts.Fact
			if f, _, err = s.Facts.FactHistory(bg, v, r.Int64N(160)); err == nil {
				list = []facts.Fact{f}
			} else if errors.Is(err, facts.ErrNone) {
				err = nil
			}
		case 4:
			_, err = s.Facts.UpdateFact(bg, facts.Viewer{User: "x:nobody", Key: chat.Key{Platform: "x", Channel: "elsewhere"},
				Guild: "g9", Direct: r.IntN(2) == 0}, r.Int64N(160), facts.NewFact{Content: "taken over"})
			if errors.Is(err, facts.ErrNone) {
				err = nil
			} else {
				t.Fatal("a stranger changed a fact")
			}
		}
		must(t, err)
		for _, f := range list {
			name, _, _ := strings.Cut(f.Content, " ")
			if humming := name == "hums" && f.Subject == v.User && v.Direct; !humming && !secrets[name].shownTo(v) {
				t.Fatalf("%+v was shown %q of %+v", v, f.Content, secrets[name])
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
