package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/memory/agenda"
	"parley/internal/memory/facts"
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

func save(t testing.TB, s *Store, v Viewer, content string, tags ...string) facts.Saved {
	t.Helper()
	f, err := s.Facts.SaveFact(bg, v, facts.NewFact{Content: content, Tags: tags})
	must(t, err)
	return f
}

func TestTasksBelongToOnePerson(t *testing.T) {
	s := open(t, Options{})
	a, b := direct("x:a"), direct("x:b")
	first, err := s.Agenda.AddTask(bg, a, " call\tmom ", "k1", Origin{})
	must(t, err)
	again, err := s.Agenda.AddTask(bg, a, "call mom", "k1", Origin{})
	must(t, err)
	if again.ID != first.ID || first.Description != "call mom" {
		t.Errorf("a repeated call made another: %+v, %+v", first, again)
	}
	_, err = s.Agenda.AddTask(bg, in("x:a", "room", ""), "buy milk", "", Origin{})
	must(t, err)
	for v, want := range map[Viewer]int{a: 2, b: 0, in("x:a", "room", ""): 1, in("x:a", "other", ""): 0, in("x:b", "room", ""): 0} {
		if list, err := s.Agenda.Tasks(bg, v, 0, 0); err != nil || len(list) != want {
			t.Errorf("%+v sees %d, %v; want %d", v, len(list), err, want)
		}
	}
	for range 2 {
		done, err := s.Agenda.CompleteTask(bg, a, first.ID)
		if err != nil || !done.Done {
			t.Errorf("complete: %+v, %v", done, err)
		}
	}
	for _, err := range []error{
		second(s.Agenda.CompleteTask(bg, b, first.ID)), second(s.Agenda.DeleteTask(bg, b, first.ID)),
		second(s.Agenda.UpdateTask(bg, in("x:a", "room", ""), first.ID, "x", Origin{})),
	} {
		if !errors.Is(err, agenda.ErrNoTask) {
			t.Errorf("somebody else's task: %v", err)
		}
	}
	for _, text := range []string{"", "  ", strings.Repeat("x", agenda.MaxTask+1)} {
		if _, err := s.Agenda.AddTask(bg, a, text, "", Origin{}); !errors.Is(err, agenda.ErrTaskSize) {
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
	r, err := s.Agenda.AddReminder(bg, agenda.Reminder{User: chat.User{ID: v.User}, Key: v.Key, Text: "stretch", Due: due, Zone: "UTC"}, "")
	must(t, err)
	parts := []chat.Part{{Key: v.Key, Text: "stretch"}}
	if list, err := s.Agenda.DueReminders(bg, []string{"x"}, 10); err != nil || len(list) != 0 {
		t.Errorf("due too early: %v, %v", list, err)
	}
	clock.t = due
	if list, err := s.Agenda.DueReminders(bg, []string{"other"}, 10); err != nil || len(list) != 0 {
		t.Errorf("due on a platform that does not run: %v, %v", list, err)
	}
	fired := 0
	for range 5 { // a clock that jumps back and forth asks again
		ok, err := s.Agenda.FireReminder(bg, r, time.Time{}, parts)
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
	snoozed, err := s.Agenda.SnoozeReminder(bg, v, r.ID, due.Add(time.Minute))
	must(t, err)
	if ok, err := s.Agenda.FireReminder(bg, snoozed, time.Time{}, parts); err != nil || !ok {
		t.Errorf("snoozed: %v, %v", ok, err)
	}
	if done, err := s.Agenda.FinishReminder(bg, v, r.ID); err != nil || done.Text != "stretch" {
		t.Errorf("told, and then done: %+v, %v", done, err)
	}
	for what, err := range map[string]error{"done again": second(s.Agenda.FinishReminder(bg, v, r.ID)),
		"snoozed": second(s.Agenda.SnoozeReminder(bg, v, r.ID, due.Add(time.Hour)))} {
		if !errors.Is(err, agenda.ErrNoReminder) {
			t.Errorf("%s after it was done: %v", what, err)
		}
	}
	weekly, err := s.Agenda.AddReminder(bg, agenda.Reminder{User: chat.User{ID: v.User}, Key: v.Key, Text: "water",
		Due: due.Add(time.Hour), Schedule: "0 9 * * 1"}, "")
	must(t, err)
	must(t, second(s.Agenda.FinishReminder(bg, v, weekly.ID)))
	if list, err := s.Agenda.Reminders(bg, v); err != nil || len(list) != 1 {
		t.Errorf("a recurring one ended: %+v, %v", list, err)
	}
	must(t, second(s.Agenda.CancelReminder(bg, v, weekly.ID)))
	if _, err := s.Agenda.CancelReminder(bg, direct("x:b"), r.ID); !errors.Is(err, agenda.ErrNoReminder) {
		t.Errorf("somebody else's reminder: %v", err)
	}
	for i := range agenda.MaxReminders {
		_, err := s.Agenda.AddReminder(bg, agenda.Reminder{User: chat.User{ID: v.User}, Key: v.Key,
			Text: fmt.Sprint(i), Due: due.Add(time.Hour)}, "")
		must(t, err)
	}
	if _, err := s.Agenda.AddReminder(bg, agenda.Reminder{User: chat.User{ID: v.User}, Key: v.Key, Text: "one more", Due: due},
		""); !errors.Is(err, agenda.ErrTooManyReminders) {
		t.Errorf("without end: %v", err)
	}
}

// Snoozing revives nothing that was cancelled or done, and is no way around the
// limit.
func TestSnoozingRevivesNothing(t *testing.T) {
	clock := &clockAt{time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)}
	s := open(t, Options{Now: clock.now})
	v, soon := direct("x:a"), clock.t.Add(time.Hour)
	add := func(r agenda.Reminder) agenda.Reminder {
		r.User, r.Key, r.Text, r.Zone = chat.User{ID: v.User}, v.Key, "stretch", "UTC"
		r, err := s.Agenda.AddReminder(bg, r, "")
		must(t, err)
		return r
	}
	told := add(agenda.Reminder{Due: clock.t})
	if ok, err := s.Agenda.FireReminder(bg, told, time.Time{}, nil); err != nil || !ok {
		t.Fatal(ok, err)
	}
	for _, r := range []agenda.Reminder{add(agenda.Reminder{Due: soon}), add(agenda.Reminder{Due: soon, Schedule: "0 9 * * *"})} {
		must(t, second(s.Agenda.CancelReminder(bg, v, r.ID)))
		if _, err := s.Agenda.SnoozeReminder(bg, v, r.ID, soon); !errors.Is(err, agenda.ErrNoReminder) {
			t.Errorf("a cancelled one: %v", err)
		}
	}
	waiting := add(agenda.Reminder{Due: soon})
	daily := add(agenda.Reminder{Due: soon, Schedule: "0 9 * * *"})
	for range agenda.MaxReminders - 2 {
		add(agenda.Reminder{Due: soon})
	}
	for _, r := range []agenda.Reminder{told, daily} {
		if _, err := s.Agenda.SnoozeReminder(bg, v, r.ID, soon); !errors.Is(err, agenda.ErrTooManyReminders) {
			t.Errorf("past the limit: %v", err)
		}
	}
	if _, err := s.Agenda.SnoozeReminder(bg, v, waiting.ID, soon.Add(time.Hour)); err != nil {
		t.Errorf("one that waits already: %v", err)
	}
	if list, err := s.Agenda.Reminders(bg, v); err != nil || len(list) != agenda.MaxReminders {
		t.Errorf("%d wait, %v", len(list), err)
	}
	must(t, second(s.Agenda.CancelReminder(bg, v, waiting.ID)))
	if r, err := s.Agenda.SnoozeReminder(bg, v, told.ID, soon); err != nil || !r.Due.Equal(soon) {
		t.Errorf("one that was told: %+v %v", r, err)
	}
}

// What one person's call wrote is never another's answer, whatever the key of
// theirs.
func TestCallKeysArePersonal(t *testing.T) {
	s := open(t, Options{})
	a, b := direct("x:a"), direct("x:b")
	remind := func(v Viewer) string {
		r, _ := s.Agenda.AddReminder(bg, agenda.Reminder{User: chat.User{ID: v.User}, Key: v.Key,
			Text: "secret of " + v.User, Due: s.now()}, "0:1:call")
		return r.Text
	}
	note := func(v Viewer) string {
		e, _ := s.Agenda.AddLog(bg, v, agenda.LogEntry{Content: "secret of " + v.User}, "0:1:call")
		return e.Content
	}
	save := func(v Viewer) string {
		f, _ := s.Facts.SaveFact(bg, v, facts.NewFact{Content: "secret of " + v.User, Type: "fact", CallKey: "0:1:call"})
		return f.Content
	}
	add := func(v Viewer) string {
		k, _ := s.Agenda.AddTask(bg, v, "secret of "+v.User, "0:1:call", Origin{})
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
		_, err := s.Agenda.AddLog(bg, v, agenda.LogEntry{Content: text, Type: "research"}, "")
		must(t, err)
		clock.t = clock.t.AddDate(0, 0, 1)
	}
	list, err := s.Agenda.Log(bg, v, agenda.LogQuery{Text: "fox reading"})
	must(t, err)
	if len(list) != 1 || list[0].Content != "read about foxes" || list[0].Type != "research" || list[0].Author != "user" {
		t.Errorf("search: %+v", list)
	}
	list, err = s.Agenda.Log(bg, v, agenda.LogQuery{To: time.Date(2026, 5, 2, 0, 0, 0, 0, time.UTC)})
	must(t, err)
	if len(list) != 1 || list[0].Content != "finished the agent" {
		t.Errorf("of a day: %+v", list)
	}
	for _, bad := range []agenda.LogEntry{{}, {Content: "x", Type: "rumour"}, {Content: "x", Author: "somebody"},
		{Content: strings.Repeat("x", facts.MaxLength+1)}} {
		if _, err := s.Agenda.AddLog(bg, v, bad, ""); err == nil {
			t.Errorf("%.20v was taken", bad)
		}
	}
	if list, err := s.Agenda.Log(bg, direct("x:b"), agenda.LogQuery{}); err != nil || len(list) != 0 {
		t.Errorf("somebody else's: %v, %v", list, err)
	}
}

func TestExportHasEverything(t *testing.T) {
	s := open(t, Options{})
	v := direct("x:a")
	save(t, s, v, "likes tea")
	must(t, second(s.Agenda.AddTask(bg, v, "call mom", "", Origin{})))
	must(t, second(s.Agenda.AddLog(bg, v, agenda.LogEntry{Content: "a thought"}, "")))
	must(t, second(s.Agenda.AddReminder(bg, agenda.Reminder{User: chat.User{ID: v.User}, Key: v.Key, Text: "stretch", Due: time.Now()}, "")))
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

// TestNotesOnAPersonAreJoined: a turn and the owner change the note on somebody
// at once: both stay. Who was forgotten meanwhile stays forgotten.
func TestNotesOnAPersonAreJoined(t *testing.T) {
	s := open(t, Options{})
	first := PersonNote{To: `{"v":1,"vars":{"size":{"value":"M"}}}`}
	must(t, s.People.SavePersonPlaybook(bg, "x:a", "", first))
	must(t, s.People.SavePersonPlaybook(bg, "x:a", "", PersonNote{first.To, `{"v":1,"vars":{"size":{"value":"M"}},"tags":["vip"]}`}))
	must(t, s.People.SavePersonPlaybook(bg, "x:a", "", PersonNote{first.To, `{"v":1,"vars":{"size":{"value":"L"},"town":{"value":"Ulm"}}}`}))
	p, err := s.People.Person(bg, "x:a", "")
	must(t, err)
	if want := `{"tags":["vip"],"v":1,"vars":{"size":{"value":"L"},"town":{"value":"Ulm"}}}`; p.Playbook != want {
		t.Errorf("%s, want %s", p.Playbook, want)
	}
	must(t, s.ForgetPerson(bg, "x:a", 0))
	must(t, s.People.SavePersonPlaybook(bg, "x:a", "", PersonNote{p.Playbook, `{"v":1,"vars":{"size":{"value":"S"}}}`}))
	if p, err = s.People.Person(bg, "x:a", ""); err != nil || p.Playbook != "" {
		t.Errorf("after forgetting: %q, %v", p.Playbook, err)
	}
}
