package facts_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"parley/internal/memory"
	"parley/internal/memory/agenda"
	"parley/internal/memory/facts"
	"parley/internal/memory/memorytest"
	"parley/internal/memory/provenance"
	"parley/internal/text/catalog"
)

// TestButtonsCountTheirs: what stands in buttons is the same however many facts, changes and
// reminders others have, and means what it stood below only.
func TestButtonsCountTheirs(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	var data [2]string
	for i, others := range []int{0, 3} {
		s := memorytest.Open(t, memory.Options{Now: func() time.Time { return now }})
		ben, anna := direct("x:ben"), direct("x:anna")
		remind := func(who facts.Viewer) agenda.Reminder {
			r := agenda.Reminder{Key: who.Key, Text: "tea", Due: now.Add(time.Hour)}
			r.User.ID = who.User
			r, err := s.Agenda.AddReminder(bg, r, "")
			must(t, err)
			return r
		}
		for n := range others {
			save(t, s, ben, fmt.Sprintf("Kettle number %d is blue", n))
			remind(ben)
			_, err := s.Agenda.AddTask(bg, ben, "buy tea", "", provenance.Origin{})
			must(t, err)
		}
		saved, reminder := save(t, s, anna, "Likes ladders"), remind(anna)
		task, err := s.Agenda.AddTask(bg, anna, "buy tea", "", provenance.Origin{})
		must(t, err)
		data[i] = fmt.Sprintln(saved.Change.Buttons(catalog.Printer{}), saved.RowKey(), reminder.RowKey(), task.RowKey())
		if id, err := s.Agenda.TaskID(bg, anna, task.RowKey()); err != nil || id != task.ID {
			t.Errorf("the task of a button: %d, %v", id, err)
		}
		if id, err := s.Facts.Meant(bg, anna, facts.Which{Number: saved.RowKey()}); err != nil || id != saved.ID {
			t.Errorf("the fact of a button: %d, %v", id, err)
		}
		if id, err := s.Agenda.ReminderID(bg, anna, reminder.RowKey()); err != nil || id != reminder.ID {
			t.Errorf("the reminder of a button: %d, %v", id, err)
		}
		must(t, second(facts.Service{Rows: s.Facts}.Undo(bg, facts.Asker{Viewer: anna}, saved.Change.Number)))
		now = now.Add(time.Second)
		must(t, s.ForgetPerson(bg, anna.User, 0))
		if again := remind(anna); again.Number != reminder.Number {
			t.Errorf("the next reminder is #%d", again.Number)
		}
		if _, err := s.Agenda.ReminderID(bg, anna, reminder.RowKey()); !errors.Is(err, agenda.ErrNoReminder) {
			t.Errorf("the button of a forgotten reminder means another one: %v", err)
		}
		now = now.Add(-time.Second)
	}
	if data[0] != data[1] {
		t.Errorf("buttons say how much others have:\n%s%s", data[0], data[1])
	}
}
