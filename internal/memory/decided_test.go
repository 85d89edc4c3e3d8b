package memory

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/db/sqlite"
	"parley/internal/memory/provenance"
	"parley/internal/memory/sessions"
)

// A year of decisions: none pushes out another one, each has its number and day, what was
// replaced does not hold any more and does not come back by being found again, and neither
// does what was forgotten.
func TestDecisionsAreRows(t *testing.T) {
	at := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	s := open(t, Options{Now: func() time.Time { return at }})
	k, ann := chat.Key{Platform: "x", Channel: "ann"}, Viewer{User: "x:ann", Key: chat.Key{Platform: "x", Channel: "ann"}, Direct: true}
	decide := func(list ...sessions.Decision) Session {
		t.Helper()
		se, ok, err := s.Sessions.LiveSession(bg, Place{Key: k})
		must(t, err)
		if !ok {
			se, err = s.Sessions.NewSession(bg, Place{Key: k}, true)
			must(t, err)
		}
		se.Direct, se.LastActivity, se.Expires = true, at, at.Add(time.Hour)
		for _, d := range list {
			d.User, d.At = "x:ann", at
			se.Decisions = append(se.Decisions, d)
		}
		must(t, s.Sessions.SaveSession(bg, se))
		se, _, err = s.Sessions.LiveSession(bg, Place{Key: k})
		must(t, err)
		return se
	}
	var se Session
	for i := range 80 {
		se = decide(sessions.Decision{Text: fmt.Sprintf("We paint room %d green.", i+1), Message: fmt.Sprint(i), Recorded: true})
		if at = at.Add(24 * time.Hour); i%10 == 9 {
			must(t, second(s.Sessions.EndSession(bg, se, Completed, Closing{Decisions: se.Decisions}, true)))
		}
	}
	all, err := s.Past.Decisions(bg, ann, true)
	must(t, err)
	if len(all) != 80 || all[0].Number != 1 || !all[0].At.Equal(time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)) || all[79].Number != 80 {
		t.Fatalf("%d decisions, first %+v", len(all), all[0])
	}
	se = decide(sessions.Decision{Text: "We paint room 1 red.", Replaces: "#1", Message: "later", Recorded: true})
	if se.Decided != 80 || se.Decisions[len(se.Decisions)-1].Number != 81 || se.Decisions[0].Number != 22 {
		t.Errorf("%d hold, shown from %d", se.Decided, se.Decisions[0].Number)
	}
	two, err := s.Past.Decisions(bg, ann, false)
	must(t, err)
	must(t, second(s.Past.ForgetDecision(bg, ann, two[0].ID)))
	decide(sessions.Decision{Text: "we paint room 1 green"}, sessions.Decision{Text: "Room 2 gets painted in green.", Message: "1"},
		sessions.Decision{Text: "We paint room 3 green"})
	three, err := s.Past.Decisions(bg, ann, true)
	must(t, err)
	told := strings.Join(sessions.Told(three), "\n")
	if len(three) != 80 || !strings.Contains(told, "#1 (2026-05-01) We paint room 1 green. [until 2026-07-20, then #81]") ||
		strings.Contains(told, "oom 2 g") {
		t.Errorf("%d now:\n%s", len(three), told)
	}
	other := ann
	other.User, other.Key = "x:bob", chat.Key{Platform: "x", Channel: "bob"}
	if list, err := s.Past.Decisions(bg, other, true); err != nil || len(list) > 0 {
		t.Errorf("somebody else sees %v, %v", list, err)
	}
	if _, err := s.Past.ForgetDecision(bg, other, three[0].ID); err == nil {
		t.Error("somebody else forgot one")
	}
	other = ann
	other.Agent.ID = "desk"
	if list, err := s.Past.Decisions(bg, other, true); err != nil || len(list) > 0 {
		t.Errorf("another agent sees %v, %v", list, err)
	}
}

// What takes the words back that said a decision takes it back, and what it replaced holds
// again; and whoever is forgotten leaves none.
func TestADecisionGoesWithItsSource(t *testing.T) {
	s := open(t, Options{})
	k := chat.Key{Platform: "x", Channel: "room"}
	room := Viewer{User: "x:bob", Key: k}
	held := func() string {
		list, err := s.Past.Decisions(bg, room, false)
		must(t, err)
		var texts []string
		for _, d := range list {
			texts = append(texts, d.Text)
		}
		return strings.Join(texts, " ")
	}
	se := Session{ID: "s1", Key: k, Status: Active, Created: time.Now(), LastActivity: time.Now(), Expires: time.Now().Add(time.Hour),
		Decisions: []sessions.Decision{{Text: "We meet on Monday.", User: "x:bob", Message: "m1", At: time.Now(), Recorded: true},
			{Text: "We meet on Friday.", User: "x:ann", Message: "m2", Replaces: "We meet on Monday", At: time.Now(), Recorded: true}}}
	entry := func(id, user, text string) Entry {
		return Entry{Role: "user", User: user, Name: user, MessageID: id, Content: text, At: time.Now(), Origin: Origin{Via: provenance.ViaTyped}}
	}
	must(t, s.Sessions.SaveSession(bg, se))
	must(t, s.db.Write(bg, func(tx *engine.Tx) error {
		return insertEntries(tx, se, []Entry{entry("m1", "x:bob", "let us meet on Monday"), entry("m2", "x:ann", "no, we meet on Friday!")})
	}))
	if got := held(); got != "We meet on Friday." {
		t.Fatalf("holds %q", got)
	}
	must(t, second(s.EditMessage(bg, k, "m2", "no, we meet on Friday, please", 0)))
	if got := held(); got != "We meet on Friday." {
		t.Errorf("after an edit that changes nothing: %q", got)
	}
	must(t, second(s.EditMessage(bg, k, "m2", "hm, I don't know", 0)))
	if got := held(); got != "We meet on Monday." {
		t.Errorf("after the edit: %q", got)
	}
	must(t, s.ForgetPerson(bg, "x:bob", 0))
	if n := rowsWith(t, s, "decided.content", "Monday"); n != 0 || held() != "" {
		t.Errorf("%d rows after forgetting, %q", n, held())
	}
}

// Lists of earlier versions become rows: each decision once, in the session in which it was
// first, and what was pushed onto the page with them.
func TestDecisionsOfEarlierVersions(t *testing.T) {
	all := Migrations()
	before := 0
	for i, m := range all {
		if m.Name == "0074_decided.sql" {
			before = i
		}
	}
	db := inMemory(t)
	for _, m := range all[:before] {
		must(t, sqlite.Run(t.Context(), db, m.SQL))
	}
	insert := func(id, from, at, decisions, page string) {
		t.Helper()
		must(t, second(db.Exec(`INSERT INTO sessions (id, platform, channel, status, created_at, last_activity, expires_at, carried_from, decisions, page, people)
			VALUES (?, 'x', 'ann', 'archived', ?, ?, ?, ?, ?, ?, '["x:ann"]')`, id, at, at, at, from, decisions, page)))
	}
	insert("a", "", "2026-01-01", `["Zebra it is.","We go by train."]`, "[]")
	insert("b", "a", "2026-02-01", `["Zebra it is.","We go by car."]`,
		`[{"text":"We paint it green.","session":"a","decided":true,"at":"2026-01-01T00:00:00Z"},{"text":"a line","session":"a"}]`)
	insert("c", "b", "2026-03-01", `["Zebra it is.","We go by car."]`, "[]")
	insert("z", "", "2026-04-01", `["Another start."]`, "[]")
	must(t, sqlite.Run(t.Context(), db, all[before].SQL))
	rows, err := db.Query("SELECT session_id || ' ' || line || ' ' || number || ' ' || content || ' ' || iif(replaced_at = '', '', 'until ' || replaced_at) || people FROM decided ORDER BY number")
	must(t, err)
	var got []string
	for rows.Next() {
		var line string
		must(t, rows.Scan(&line))
		got = append(got, line)
	}
	must(t, rows.Err())
	want := []string{`a a 1 Zebra it is. ["x:ann"]`, `a a 2 We go by train. until 2026-03-01["x:ann"]`, `a a 3 We paint it green. ["x:ann"]`,
		`b a 4 We go by car. ["x:ann"]`, `z z 5 Another start. ["x:ann"]`}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("rows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var page string
	must(t, db.QueryRow("SELECT page FROM sessions WHERE id = 'b'").Scan(&page))
	if strings.Contains(page, "green") || !strings.Contains(page, "a line") {
		t.Errorf("the page is %s", page)
	}
}

// What was decided in a session goes with it, also for those that carry it on and asked
// before.
func TestADecisionGoesWithItsSession(t *testing.T) {
	s := open(t, Options{})
	place := Place{Key: chat.Key{Platform: "x", Channel: "room"}}
	se, err := s.Sessions.NewSession(bg, place, true)
	must(t, err)
	se.LastActivity, se.Expires = time.Now(), time.Now().Add(time.Hour)
	se.Decisions = []sessions.Decision{{Text: "We meet on Monday.", User: "x:bob", Message: "m1", At: time.Now(), Recorded: true}}
	must(t, s.Sessions.SaveSession(bg, se))
	must(t, second(s.Sessions.EndSession(bg, se, Completed, Closing{}, true)))
	next, err := s.Sessions.NewSession(bg, place, true)
	must(t, err)
	next.LastActivity, next.Expires = time.Now(), time.Now().Add(time.Hour)
	must(t, s.Sessions.SaveSession(bg, next))
	for range 2 { // the second is kept
		now, _, err := s.Sessions.LiveSession(bg, place)
		must(t, err)
		if len(now.Decisions) != 1 || now.Decided != 1 {
			t.Fatalf("holds %v", now.Decisions)
		}
		now.Decisions[0].Text = "what a caller does with it is its own"
	}
	must(t, s.db.Write(bg, func(tx *engine.Tx) error {
		return tx.ExecAll(engine.Named{"id": se.ID}, "DELETE FROM sessions WHERE id = :id")
	}))
	if now, _, err := s.Sessions.LiveSession(bg, place); err != nil || len(now.Decisions) != 0 || now.Decided != 0 {
		t.Errorf("still holds %v, %v", now.Decisions, err)
	}
}
