package memory

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
)

var bg = context.Background()

// clockAt is a store's clock that a test moves.
type clockAt struct{ t time.Time }

func (c *clockAt) now() time.Time { return c.t }

func direct(user string) Viewer {
	return Viewer{User: user, Key: chat.Key{Platform: "x", Channel: "dm-" + user}, Direct: true}
}

func in(user, channel, guild string) Viewer {
	return Viewer{User: user, Key: chat.Key{Platform: "x", Channel: channel}, Guild: guild}
}

func save(t testing.TB, s *Store, v Viewer, content string, tags ...string) Saved {
	t.Helper()
	f, err := s.SaveFact(bg, v, NewFact{Content: content, Tags: tags})
	must(t, err)
	return f
}

func contents(list []Fact) (out []string) {
	for _, f := range list {
		out = append(out, f.Content)
	}
	return out
}

func TestFactsThatSayTheSameAreCorrected(t *testing.T) {
	for _, tt := range []struct {
		old, new string
		same     bool
	}{
		{"Josh prefers dark mode in all apps", "Josh prefers light mode in all apps", true},
		{"Josh's main project is DIANA", "Josh's main project is ORACLE", true},
		{"Standup is at 9am every day", "Standup is at 10am every day", true},
		{"wife's birthday 4 May", "mum's birthday 4 May", true},
		{"lives in Rome", "lives in Paris", false},
		{"favourite editor is Vim", "favourite editor is Emacs", false},
		{"project DIANA", "Josh's project DIANA has a command line and a web page", false},
		{"likes tea", "LIKES TEA", true},
	} {
		s := open(t, Options{})
		v := direct("x:a")
		first := save(t, s, v, tt.old)
		second := save(t, s, v, tt.new)
		if got := second.ID == first.ID; got != tt.same {
			t.Errorf("%q, then %q: same fact %v, want %v", tt.old, tt.new, got, tt.same)
		}
		if tt.same && !second.Created.Equal(first.Created) {
			t.Errorf("%q: the age was lost", tt.new)
		}
	}
}

func TestFactKeepsWhatItSaid(t *testing.T) {
	clock := &clockAt{time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)}
	s := open(t, Options{Now: clock.now})
	v := direct("x:a")
	first, err := s.SaveFact(bg, v, NewFact{Content: "Ann prefers dark mode everywhere #UI", Session: "s1"})
	must(t, err)
	clock.t = clock.t.Add(time.Hour)
	got, err := s.SaveFact(bg, v, NewFact{Content: "Ann prefers light mode everywhere", Session: "s2", Tags: []string{"important"}})
	must(t, err)
	if got.ID != first.ID || got.Replaced != "Ann prefers dark mode everywhere" || got.Session != "s2" || strings.Join(got.Tags, " ") != "#important #ui" || !got.Important {
		t.Errorf("corrected: %+v", got)
	}
	f, before, err := s.FactHistory(bg, v, first.ID)
	must(t, err)
	if f.Previous != "Ann prefers dark mode everywhere" || len(before) != 1 || before[0].Content != f.Previous || !before[0].Until.Equal(clock.t) {
		t.Errorf("history: %+v, %+v", f, before)
	}
	// The other fact that says the same is superseded, not left beside it.
	other := save(t, s, v, "Ann's editor is Vim")
	up, err := s.UpdateFact(bg, v, other.ID, NewFact{Content: "Ann prefers light mode everywhere now"})
	must(t, err)
	list, err := s.Facts(bg, v, 0, 0)
	must(t, err)
	if len(list) != 1 || list[0].ID != up.ID {
		t.Errorf("after an update onto another: %q", contents(list))
	}
	// Words from before the correction do not undo it.
	late, err := s.SaveFact(bg, v, NewFact{Content: "Ann prefers dark mode everywhere now", Said: clock.t.Add(-30 * time.Minute)})
	must(t, err)
	if !late.Known || late.Content != up.Content {
		t.Errorf("older words corrected a newer fact: %+v", late)
	}
	_, err = s.ForgetFact(bg, v, up.ID)
	must(t, err)
	if again, err := s.SaveFact(bg, v, NewFact{Content: "Ann prefers light mode everywhere", Said: clock.t.Add(-time.Minute)}); err != nil || again.ID != 0 {
		t.Errorf("what was forgotten came back: %+v, %v", again, err)
	}
}

func TestFactsRefuseWhatIsNone(t *testing.T) {
	s := open(t, Options{})
	for text, want := range map[string]error{
		"": ErrFactSize, " \t\n": ErrFactSize, "#only #tags": ErrFactSize, strings.Repeat("ä", MaxFact+1): ErrFactSize,
	} {
		if _, err := s.SaveFact(bg, direct("x:a"), NewFact{Content: text}); !errors.Is(err, want) {
			t.Errorf("%.10q: %v", text, err)
		}
	}
	var tag *TagError
	if _, err := s.SaveFact(bg, direct("x:a"), NewFact{Content: "x", Tags: []string{"two words"}}); !errors.As(err, &tag) {
		t.Errorf("a tag with a space: %v", err)
	}
	for _, text := range []string{"NEAR( \" AND -x* ' OR", "ends in \x00 NUL \xff", strings.Repeat("ä", MaxFact), "a\nb\r\u202Ec"} {
		f := save(t, s, direct("x:a"), text)
		if strings.ContainsAny(f.Content, "\n\x00\u202e") {
			t.Errorf("stored %q", f.Content)
		}
		if _, err := s.SearchFacts(bg, direct("x:a"), text, 5); err != nil {
			t.Errorf("search %.20q: %v", text, err)
		}
	}
	if _, err := s.ForgetFact(bg, direct("x:a"), 999); !errors.Is(err, ErrNoFact) {
		t.Errorf("forget nothing: %v", err)
	}
	if _, err := s.SaveFact(bg, in("x:a", "c", ""), NewFact{Content: "x", Scope: ScopeGuild}); err == nil {
		t.Error("a fact for a server that is not there")
	}
}

func TestFactsForAMessage(t *testing.T) {
	clock := &clockAt{time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)}
	s := open(t, Options{Now: clock.now})
	v := direct("x:a")
	save(t, s, v, "Ann is allergic to peanuts", "important")
	for _, word := range strings.Fields("alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu one two three four") {
		clock.t = clock.t.Add(time.Minute)
		save(t, s, v, "Ann keeps a "+word)
	}
	k, err := s.FactsFor(bg, v, "Tell me about the deltas you kept, and the wiskey", 4000)
	must(t, err)
	if got := contents(k.Important); len(got) != 1 || len(k.Recent) != 5 || k.Recent[0].Content != "Ann keeps a four" {
		t.Errorf("important %q, recent %q", got, contents(k.Recent))
	}
	got := contents(k.Relevant)
	if len(got) == 0 || got[0] != "Ann keeps a delta" || !slices.Contains(got, "Ann keeps a whiskey") {
		t.Errorf("relevant: %q", got)
	}
	if k, err := s.FactsFor(bg, v, "x", 2); err != nil || len(k.Important) != 0 || k.Cut != 1 {
		t.Errorf("over budget: %+v, %v", k, err)
	}
	n, err := s.PruneFacts(bg, 10)
	must(t, err)
	list, err := s.Facts(bg, v, 100, 0)
	must(t, err)
	if n != 20 || len(list) != 11 || !list[0].Important {
		t.Errorf("pruned %d, left %q", n, contents(list))
	}
}

// anybody is one of six people, alone with the bot or in one of four channels.
func anybody(r *rand.Rand) Viewer {
	user := fmt.Sprintf("x:u%d", r.IntN(6))
	if r.IntN(3) == 0 {
		return direct(user)
	}
	return in(user, fmt.Sprintf("c%d", r.IntN(4)), []string{"", "g1", "g2"}[r.IntN(3)])
}

// Random people in random places save and look: nobody ever sees what the
// rules do not show them, whatever they ask.
func TestFactsNeverLeak(t *testing.T) {
	t.Run("words", func(t *testing.T) { neverLeak(t, open(t, Options{}), 10_000) })
	t.Run("vectors", func(t *testing.T) { neverLeak(t, open(t, (&embeddings{}).options()), 5_000) })
	t.Run("many", func(t *testing.T) {
		s := open(t, Options{})
		crowd(t, s, "x:u0", "x:u1", "x:u2", "x:u3")
		neverLeak(t, s, 1_000)
	})
}

// secret is a fact and who said it.
type secret struct {
	Viewer
	scope Scope
}

// shownTo is the rule, in other words than the query's.
func (f secret) shownTo(v Viewer) bool {
	switch f.scope {
	case ScopePerson:
		return v.User == f.User && (v.Direct || v.Key == f.Key)
	case ScopeChannel:
		return v.Key == f.Key
	}
	return v.Guild != "" && v.Server() == f.Server()
}

func neverLeak(t *testing.T, s *Store, probes int) {
	r := rand.New(rand.NewPCG(1, 2))
	viewers := func() Viewer { return anybody(r) }
	secrets := map[string]secret{}
	for i := range 150 {
		v, scope := viewers(), []Scope{ScopePerson, ScopePerson, ScopeChannel, ScopeGuild}[r.IntN(4)]
		word := fmt.Sprintf("canary%dq%d", i, i*i)
		f, err := s.SaveFact(bg, v, NewFact{Content: word + " sings of " + fmt.Sprint(r.Int64()), Scope: scope})
		if err != nil {
			continue // a server that is not there
		}
		secrets[word] = secret{v, f.Scope}
		if r.IntN(5) == 0 {
			_, err = s.MarkFact(bg, v, f.ID, true)
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
		var list []Fact
		var err error
		switch r.IntN(200) / 49 { // writes are rare: they cost a commit each
		case 0:
			list, err = s.Facts(bg, v, 1000, 0)
		case 1:
			list, err = s.SearchFacts(bg, v, word+" sings everybody owner x u1 o", 1000)
			must(t, err)
			var near []int64
			near, err = s.near(bg, v, word+" sings")
			must(t, err)
			var all []Fact // with no scope but near's own
			all, err = s.fuse(Viewer{Operator: true}, nil, near)
			list = append(list, all...)
		case 2:
			var k KnownFacts
			k, err = s.FactsFor(bg, v, "sings "+word, 10_000)
			list = slices.Concat(k.Important, k.Recent, k.Relevant)
		case 3:
			var f Fact
			if f, _, err = s.FactHistory(bg, v, r.Int64N(160)); err == nil {
				list = []Fact{f}
			} else if errors.Is(err, ErrNoFact) {
				err = nil
			}
		case 4:
			_, err = s.UpdateFact(bg, Viewer{User: "x:nobody", Key: chat.Key{Platform: "x", Channel: "elsewhere"}, Guild: "g9", Direct: r.IntN(2) == 0}, r.Int64N(160), NewFact{Content: "taken over"})
			if errors.Is(err, ErrNoFact) {
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

func TestTasksBelongToOnePerson(t *testing.T) {
	s := open(t, Options{})
	a, b := direct("x:a"), direct("x:b")
	first, err := s.AddTask(bg, a, " call\tmom ", "k1", Origin{})
	must(t, err)
	again, err := s.AddTask(bg, a, "call mom", "k1", Origin{})
	must(t, err)
	if again.ID != first.ID || first.Description != "call mom" {
		t.Errorf("a repeated call made another: %+v, %+v", first, again)
	}
	_, err = s.AddTask(bg, in("x:a", "room", ""), "buy milk", "", Origin{})
	must(t, err)
	for v, want := range map[Viewer]int{a: 2, b: 0, in("x:a", "room", ""): 1, in("x:a", "other", ""): 0, in("x:b", "room", ""): 0} {
		if list, err := s.Tasks(bg, v, 0, 0); err != nil || len(list) != want {
			t.Errorf("%+v sees %d, %v; want %d", v, len(list), err, want)
		}
	}
	for range 2 {
		done, err := s.CompleteTask(bg, a, first.ID)
		if err != nil || !done.Done {
			t.Errorf("complete: %+v, %v", done, err)
		}
	}
	for _, err := range []error{
		second(s.CompleteTask(bg, b, first.ID)), second(s.DeleteTask(bg, b, first.ID)), second(s.UpdateTask(bg, in("x:a", "room", ""), first.ID, "x", Origin{})),
	} {
		if !errors.Is(err, ErrNoTask) {
			t.Errorf("somebody else's task: %v", err)
		}
	}
	for _, text := range []string{"", "  ", strings.Repeat("x", MaxTask+1)} {
		if _, err := s.AddTask(bg, a, text, "", Origin{}); !errors.Is(err, ErrTaskSize) {
			t.Errorf("%.5q: %v", text, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestReminderIsSaidOnce(t *testing.T) {
	clock := &clockAt{time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)}
	s := open(t, Options{Now: clock.now})
	v := direct("x:a")
	due := clock.t.Add(time.Hour)
	r, err := s.AddReminder(bg, Reminder{User: chat.User{ID: v.User}, Key: v.Key, Text: "stretch", Due: due, Zone: "UTC"}, "")
	must(t, err)
	parts := []chat.Part{{Key: v.Key, Text: "stretch"}}
	if list, err := s.DueReminders(bg, []string{"x"}, 10); err != nil || len(list) != 0 {
		t.Errorf("due too early: %v, %v", list, err)
	}
	clock.t = due
	if list, err := s.DueReminders(bg, []string{"other"}, 10); err != nil || len(list) != 0 {
		t.Errorf("due on a platform that does not run: %v, %v", list, err)
	}
	fired := 0
	for range 5 { // a clock that jumps back and forth asks again
		ok, err := s.FireReminder(bg, r, time.Time{}, parts)
		must(t, err)
		if ok {
			fired++
		}
	}
	pending, err := s.Pending(bg, v.Key)
	must(t, err)
	if fired != 1 || len(pending) != 1 {
		t.Errorf("fired %d times, %d parts", fired, len(pending))
	}
	snoozed, err := s.SnoozeReminder(bg, v, r.ID, due.Add(time.Minute))
	must(t, err)
	if ok, err := s.FireReminder(bg, snoozed, time.Time{}, parts); err != nil || !ok {
		t.Errorf("snoozed: %v, %v", ok, err)
	}
	if _, err := s.CancelReminder(bg, direct("x:b"), r.ID); !errors.Is(err, ErrNoReminder) {
		t.Errorf("somebody else's reminder: %v", err)
	}
	for i := range maxReminders {
		_, err := s.AddReminder(bg, Reminder{User: chat.User{ID: v.User}, Key: v.Key, Text: fmt.Sprint(i), Due: due.Add(time.Hour)}, "")
		must(t, err)
	}
	if _, err := s.AddReminder(bg, Reminder{User: chat.User{ID: v.User}, Key: v.Key, Text: "one more", Due: due}, ""); !errors.Is(err, ErrTooManyReminders) {
		t.Errorf("without end: %v", err)
	}
}

// Snoozing revives nothing that was cancelled or done, and is no way around the
// limit.
func TestSnoozingRevivesNothing(t *testing.T) {
	clock := &clockAt{time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)}
	s := open(t, Options{Now: clock.now})
	v, soon := direct("x:a"), clock.t.Add(time.Hour)
	add := func(r Reminder) Reminder {
		r.User, r.Key, r.Text, r.Zone = chat.User{ID: v.User}, v.Key, "stretch", "UTC"
		r, err := s.AddReminder(bg, r, "")
		must(t, err)
		return r
	}
	told := add(Reminder{Due: clock.t})
	if ok, err := s.FireReminder(bg, told, time.Time{}, nil); err != nil || !ok {
		t.Fatal(ok, err)
	}
	for _, r := range []Reminder{add(Reminder{Due: soon}), add(Reminder{Due: soon, Schedule: "0 9 * * *"})} {
		must(t, second(s.CancelReminder(bg, v, r.ID)))
		if _, err := s.SnoozeReminder(bg, v, r.ID, soon); !errors.Is(err, ErrNoReminder) {
			t.Errorf("a cancelled one: %v", err)
		}
	}
	waiting := add(Reminder{Due: soon})
	daily := add(Reminder{Due: soon, Schedule: "0 9 * * *"})
	for range maxReminders - 2 {
		add(Reminder{Due: soon})
	}
	for _, r := range []Reminder{told, daily} {
		if _, err := s.SnoozeReminder(bg, v, r.ID, soon); !errors.Is(err, ErrTooManyReminders) {
			t.Errorf("past the limit: %v", err)
		}
	}
	if _, err := s.SnoozeReminder(bg, v, waiting.ID, soon.Add(time.Hour)); err != nil {
		t.Errorf("one that waits already: %v", err)
	}
	if list, err := s.Reminders(bg, v); err != nil || len(list) != maxReminders {
		t.Errorf("%d wait, %v", len(list), err)
	}
	must(t, second(s.CancelReminder(bg, v, waiting.ID)))
	if r, err := s.SnoozeReminder(bg, v, told.ID, soon); err != nil || !r.Due.Equal(soon) {
		t.Errorf("one that was told: %+v %v", r, err)
	}
}

// What one person's call wrote is never another's answer, whatever the key of
// theirs.
func TestCallKeysArePersonal(t *testing.T) {
	s := open(t, Options{})
	a, b := direct("x:a"), direct("x:b")
	remind := func(v Viewer) string {
		r, _ := s.AddReminder(bg, Reminder{User: chat.User{ID: v.User}, Key: v.Key, Text: "secret of " + v.User, Due: s.now()}, "0:1:call")
		return r.Text
	}
	note := func(v Viewer) string {
		e, _ := s.AddLog(bg, v, LogEntry{Content: "secret of " + v.User}, "0:1:call")
		return e.Content
	}
	save := func(v Viewer) string {
		f, _ := s.SaveFact(bg, v, NewFact{Content: "secret of " + v.User, Type: "fact", CallKey: "0:1:call"})
		return f.Content
	}
	add := func(v Viewer) string {
		k, _ := s.AddTask(bg, v, "secret of "+v.User, "0:1:call", Origin{})
		return k.Description
	}
	for name, write := range map[string]func(Viewer) string{"reminder": remind, "log": note, "fact": save, "task": add} {
		if got := write(a); got != "secret of x:a" {
			t.Errorf("%s: %q", name, got)
		}
		if got := write(b); strings.Contains(got, "x:a") {
			t.Errorf("%s: somebody else reads %q", name, got)
		}
	}
}

func TestLogReadsBack(t *testing.T) {
	clock := &clockAt{time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)}
	s := open(t, Options{Now: clock.now})
	v := direct("x:a")
	for _, text := range []string{"finished the agent", "read about foxes"} {
		_, err := s.AddLog(bg, v, LogEntry{Content: text, Type: "research"}, "")
		must(t, err)
		clock.t = clock.t.AddDate(0, 0, 1)
	}
	list, err := s.Log(bg, v, LogQuery{Text: "fox reading"})
	must(t, err)
	if len(list) != 1 || list[0].Content != "read about foxes" || list[0].Type != "research" || list[0].Author != "user" {
		t.Errorf("search: %+v", list)
	}
	list, err = s.Log(bg, v, LogQuery{To: time.Date(2026, 5, 2, 0, 0, 0, 0, time.UTC)})
	must(t, err)
	if len(list) != 1 || list[0].Content != "finished the agent" {
		t.Errorf("of a day: %+v", list)
	}
	for _, bad := range []LogEntry{{}, {Content: "x", Type: "rumour"}, {Content: "x", Author: "somebody"}, {Content: strings.Repeat("x", MaxFact+1)}} {
		if _, err := s.AddLog(bg, v, bad, ""); err == nil {
			t.Errorf("%.20v was taken", bad)
		}
	}
	if list, err := s.Log(bg, direct("x:b"), LogQuery{}); err != nil || len(list) != 0 {
		t.Errorf("somebody else's: %v, %v", list, err)
	}
}

func TestExportHasEverything(t *testing.T) {
	s := open(t, Options{})
	v := direct("x:a")
	save(t, s, v, "likes tea")
	must(t, second(s.AddTask(bg, v, "call mom", "", Origin{})))
	must(t, second(s.AddLog(bg, v, LogEntry{Content: "a thought"}, "")))
	must(t, second(s.AddReminder(bg, Reminder{User: chat.User{ID: v.User}, Key: v.Key, Text: "stretch", Due: time.Now()}, "")))
	save(t, s, direct("x:b"), "likes coffee")
	e, err := s.ExportPerson(bg, "x:a")
	must(t, err)
	text := e.Markdown()
	for _, want := range []string{"likes tea", "call mom", "a thought", "stretch"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing from\n%s", want, text)
		}
	}
	if strings.Contains(text, "coffee") {
		t.Error("somebody else's fact")
	}
}
