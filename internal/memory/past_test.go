package memory

import (
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/memory/provenance"
	"parley/internal/memory/sessions"
)

// over stores a session that is over, with one message of each of some people.
func over(t *testing.T, s *Store, se Session, closing Closing, people ...string) {
	t.Helper()
	must(t, s.db.Write(bg, func(tx *engine.Tx) error {
		se.Status, se.Created, se.LastActivity, se.Expires = Active, s.now(), s.now(), s.now().Add(time.Hour)
		if _, err := saveSession(tx, se); err != nil {
			return err
		}
		for _, p := range people {
			if err := insertEntries(tx, se, []Entry{{Role: "user", User: p, Name: p, Content: closing.Text + " said " + p,
				At: s.now(), Origin: Origin{Via: provenance.ViaTyped}}}); err != nil {
				return err
			}
		}
		return nil
	}))
	must(t, second(s.Sessions.EndSession(bg, se, Completed, closing, true)))
	stored, err := s.Sessions.SessionByID(bg, se.ID)
	must(t, err)
	must(t, s.Sessions.ArchiveSession(bg, stored, closing))
}

// Everybody lists, finds and searches what is theirs: direct chats of their own,
// and of groups the ones where they are.
func TestPastSessionsAreSeenByThoseWhoWereThere(t *testing.T) {
	at := time.Now()
	s := open(t, Options{Now: func() time.Time { return at }})
	room, alone, others := chat.Key{Platform: "x", Channel: "room"}, chat.Key{Platform: "x", Channel: "ann"},
		chat.Key{Platform: "x", Channel: "bob"}
	over(t, s, Session{ID: "aaaaaaaa-1", Key: room}, Closing{Text: "about the zebra budget", Title: "Zebra",
		Decisions: []sessions.Decision{{Text: "We rent the quagga."}}}, "x:ann", "x:bob")
	over(t, s, Session{ID: "aaaaaaab-2", Key: alone, Direct: true}, Closing{Text: "about a private zebra"}, "x:ann")
	over(t, s, Session{ID: "bbbbbbbb-3", Key: others, Direct: true}, Closing{Text: "about bob's zebra"}, "x:bob")
	over(t, s, Session{ID: "cccccccc-4", Key: chat.Key{Platform: "x", Channel: "split"}, User: "x:bob"},
		Closing{Text: "zebra alone in company"}, "x:bob")
	must(t, s.Access.Attend(bg, chat.Presence{Key: room, User: chat.User{ID: "x:ann"}, State: chat.Present}))
	ids := func(v Viewer) string {
		list, err := s.Past.List(bg, v, 10, 0)
		must(t, err)
		found, err := s.Past.Search(bg, v, "zebra", 1000)
		must(t, err)
		var all []string
		for _, se := range list {
			all = append(all, se.ID[:8])
		}
		if len(found) != len(list) {
			t.Errorf("%d are listed and %d found", len(list), len(found))
		}
		return strings.Join(all, " ")
	}
	ann := Viewer{User: "x:ann", Key: alone, Direct: true}
	for _, tt := range []struct {
		v    Viewer
		want string
	}{
		{ann, "aaaaaaaa aaaaaaab"},
		{Viewer{User: "x:ann", Key: room}, "aaaaaaaa"},
		{Viewer{User: "x:ann", Key: chat.Key{Platform: "x", Channel: "split"}}, ""},
		{Viewer{User: "x:bob", Key: chat.Key{Platform: "x", Channel: "split"}}, "cccccccc"},
		{Viewer{User: "x:eve", Key: alone, Direct: true}, ""},
	} {
		if got := ids(tt.v); got != tt.want {
			t.Errorf("%+v sees %q, want %q", tt.v, got, tt.want)
		}
	}
	if se, err := s.Past.Find(bg, ann, "AAAAAAAA"); err != nil || se.Title != "Zebra" {
		t.Errorf("found %+v, %v", se, err)
	}
	for _, id := range []string{"aaaaaaa", "bbbbbbbb", "cccccccc", ""} {
		if _, err := s.Past.Find(bg, ann, id); err == nil {
			t.Errorf("%q was found", id)
		}
	}
	if found, err := s.Past.Search(bg, ann, "did we rent a quagga", 1000); err != nil || len(found) != 1 ||
		!strings.Contains(found[0].Text, "We rent the quagga.") {
		t.Errorf("found %+v, %v", found, err)
	}
	must(t, s.Access.Attend(bg, chat.Presence{Key: room, User: chat.User{ID: "x:ann"}, State: chat.Absent}))
	if got := ids(ann); got != "aaaaaaab" {
		t.Errorf("who is out sees %q", got)
	}
}

// What is deleted is gone with what later sessions carry of it, and one that is
// taken up again stands behind the one that ended last.
func TestPastSessionsAreDeletedAndResumed(t *testing.T) {
	at := time.Now()
	s := open(t, Options{Now: func() time.Time { return at }})
	k := chat.Key{Platform: "x", Channel: "ann"}
	line := func(id, words string) sessions.Line { return sessions.Line{At: at, Text: words, Session: id} }
	first := Closing{Text: "about the zebra", Decisions: []sessions.Decision{{Text: "Zebra it is."}},
		Page: []sessions.Line{line("s1", "the zebra plan")}}
	over(t, s, Session{ID: "s1", Key: k, Direct: true}, first, "x:ann")
	at = at.Add(time.Hour)
	two, err := s.Sessions.NewSession(bg, Place{Key: k}, true)
	must(t, err)
	two.ID, two.Direct = "s2", true
	over(t, s, two, Closing{Text: "about tea", Decisions: append(two.Decisions, sessions.Decision{Text: "Green tea."}),
		Page: append(two.CarriedPage,
			line("s2", "the tea plan"))}, "x:ann")
	at = at.Add(time.Hour)
	if ok, err := s.Past.Resume(bg, "s1", time.Hour); err != nil || !ok {
		t.Fatalf("resumed: %v, %v", ok, err)
	}
	live, ok, err := s.Sessions.LiveSession(bg, Place{Key: k})
	must(t, err)
	if !ok || live.ID != "s1" || live.CarriedFrom != "s2" || len(live.CarriedPage) != 2 {
		t.Errorf("live is %+v", live)
	}
	if ok, err := s.Past.Resume(bg, "s2", time.Hour); err != nil || ok {
		t.Errorf("resumed beside a live one: %v, %v", ok, err)
	}
	must(t, second(s.Sessions.EndSession(bg, live, Completed, first, true)))
	at = at.Add(time.Hour)
	if next, err := s.Sessions.NewSession(bg, Place{Key: k}, true); err != nil || next.CarriedFrom != "s1" {
		t.Errorf("the next one carries %+v, %v", next, err)
	}
	must(t, s.Past.Delete(bg, "s1"))
	next, err := s.Sessions.NewSession(bg, Place{Key: k}, true)
	must(t, err)
	if next.CarriedFrom != "s2" || len(next.CarriedPage) != 1 || len(next.Decisions) != 1 {
		t.Errorf("after deleting, the next one carries %+v", next)
	}
	if n := bytesRows(t, s, "zebra"); n != 0 {
		t.Errorf("%d rows still have the word", n)
	}
}

func bytesRows(t *testing.T, s *Store, word string) (n int) {
	t.Helper()
	for _, c := range textColumns(t, s) {
		n += rowsWith(t, s, c, word)
	}
	return n
}

// A summary is found however ß is written, in it and in the question.
func TestPastSessionsAreFoundBySpellings(t *testing.T) {
	s := open(t, Options{})
	at := chat.Key{Platform: "x", Channel: "ann"}
	over(t, s, Session{ID: "aaaaaaaa-1", Key: at, Direct: true}, Closing{Text: "Die Hauptstraße ist gesperrt"}, "x:ann")
	over(t, s, Session{ID: "aaaaaaab-2", Key: at, Direct: true}, Closing{Text: "Das Schloss am Fluss ist offen"}, "x:ann")
	for asked, want := range map[string]string{"HAUPTSTRASSE": "aaaaaaaa", "Schloß": "aaaaaaab"} {
		found, err := s.Past.Search(bg, Viewer{User: "x:ann", Key: at, Direct: true}, asked, 1000)
		if must(t, err); len(found) != 1 || found[0].ID[:8] != want {
			t.Errorf("%s finds %+v", asked, found)
		}
	}
}
