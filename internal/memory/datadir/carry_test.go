package datadir_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/agenda"
	"parley/internal/memory/memorytest"
	"parley/internal/text/waittest"
)

// TestRestoreRepeatsNothing: what was answered, sent and told after a copy was made is not done
// again by who starts on it, what was under way goes on, and no number is given out twice; also
// after the same copy is restored once more.
func TestRestoreRepeatsNothing(t *testing.T) {
	memorytest.AboutFiles(t)
	ctx := t.Context()
	s := memorytest.Open(t, memory.Options{})
	dir, file := filepath.Dir(s.File.Path()), filepath.Join(t.TempDir(), "copy.db")
	place := chat.Key{Platform: "p", Channel: "c"}
	ann := chat.User{ID: "p:1", Name: "Ann"}
	view := memory.Viewer{User: ann.ID, Key: place, Direct: true}
	hear := func(from, n int) []chat.Message {
		b := batch(from, n)
		b.Cursors = map[string]string{"channel:c": fmt.Sprint(from + n - 1)}
		list, err := s.Accept(ctx, b)
		must(t, err)
		return list
	}
	answer := func(m chat.Message, sent bool) {
		must(t, s.Finish(ctx, m, []chat.Part{{Key: place, To: ann, Text: "answer to " + m.ID}}, &memory.Turn{
			Decision: memory.Decision{End: chat.End{Outcome: chat.Answered}}}))
		parts, err := s.Pending(ctx, place)
		must(t, err)
		if sent {
			must(t, s.Mark(ctx, parts[len(parts)-1], chat.PartSent, "id"+m.ID, time.Time{}))
		}
	}
	remind := func(text string) agenda.Reminder {
		r, err := s.Agenda.AddReminder(ctx, agenda.Reminder{User: ann, Key: place, Text: text, Due: time.Now().Add(time.Millisecond)}, "")
		must(t, err)
		return r
	}
	old := hear(1, 3)
	aside := func(id string) {
		must(t, waittest.Second(s.Accept(ctx, chat.Batch{Platform: "p", Dead: []chat.DeadLetter{{ID: id, Raw: []byte("{}"), Reason: "odd"}}})))
	}
	aside("read since")
	must(t, s.SaveSteps(ctx, old[1].Row, []memory.Step{{N: 1, Kind: "model", Done: true, Result: "half"}})())
	answer(old[0], false) // unsent when the copy is made
	told := remind("once")
	_, err := folder(dir).Backup(ctx, file, false)
	must(t, err)

	parts, err := s.Pending(ctx, place)
	must(t, err)
	must(t, s.Mark(ctx, parts[0], chat.PartSent, "id1", time.Time{}))
	answer(old[1], true)
	later := hear(4, 3)
	answer(later[0], true)
	answer(later[1], false)
	must(t, s.SaveSteps(ctx, later[2].Row, []memory.Step{{N: 1, Kind: "tool", Key: "paid", Done: true, Result: "it is paid"}})())
	_, err = s.Agenda.FireReminder(ctx, told, time.Time{}, nil)
	must(t, err)
	letters, err := s.Letters.List(ctx, 0, 10)
	must(t, err)
	must(t, s.Letters.Drop(ctx, letters[0].ID))
	aside("put aside since")
	task, err := s.Agenda.AddTask(ctx, view, "first", "", memory.Origin{})
	must(t, err)
	given := remind("later")
	must(t, s.Close())

	for round := range 2 {
		c, err := folder(dir).Restore(ctx, file)
		must(t, err)
		if !c.Carried {
			t.Fatalf("round %d: nothing was taken over", round)
		}
		s, err = memory.Open(ctx, dir, memory.Options{})
		must(t, err)
		if cursors, err := s.Cursors(ctx, "p"); err != nil || cursors["channel:c"] != "6" {
			t.Errorf("round %d: read up to %v %v", round, cursors, err)
		}
		if list, err := s.Letters.List(ctx, 0, 10); err != nil || len(list) != 1 || list[0].Event != "put aside since" {
			t.Errorf("round %d: put aside: %+v %v", round, list, err)
		}
		if steps, err := s.Steps(ctx, old[1].Row); err != nil || len(steps) > 0 {
			t.Errorf("round %d: of an answered message: %+v %v", round, steps, err)
		}
		if next, err := s.Agenda.AddTask(ctx, view, "first", "", memory.Origin{}); err != nil || next.ID <= task.ID {
			t.Errorf("round %d: task %+v has the row of %+v, %v", round, next, task, err)
		}
		if again := hear(1, 6); len(again) > 0 {
			t.Errorf("round %d: %d messages are new again", round, len(again))
		}
		left, err := s.Adopt(ctx, []chat.Key{place})
		must(t, err)
		if len(left) != 2 || left[0].ID != "3" || left[1].ID != "6" {
			t.Fatalf("round %d: unanswered: %+v", round, left)
		}
		steps, err := s.Steps(ctx, left[1].Row)
		must(t, err)
		if len(steps) != 1 || steps[0].Result != "it is paid" {
			t.Errorf("round %d: what was done for it: %+v", round, steps)
		}
		parts, err := s.Pending(ctx, place)
		must(t, err)
		if len(parts) != 1 || parts[0].Text != "answer to 5" {
			t.Errorf("round %d: unsent: %+v", round, parts)
		}
		if due, err := s.Agenda.DueReminders(ctx, []string{"p"}, 10); err != nil || len(due) > 0 {
			t.Errorf("round %d: due again: %+v %v", round, due, err)
		}
		if next := remind("new"); next.Number <= given.Number || next.ID <= given.ID {
			t.Errorf("round %d: #%d (row %d) was given out before, as %d (row %d) at the latest", round, next.Number, next.ID, given.Number, given.ID)
		} else {
			given = next
		}
		if list, err := s.Agenda.Reminders(ctx, view); err != nil || len(list) != 1 {
			t.Errorf("round %d: what is kept is not the copy's: %+v %v", round, list, err)
		}
		must(t, s.Close())
	}
}

// TestRestoreTakesNothingFromAnother: a database that did not go on from the copy gives it nothing.
func TestRestoreTakesNothingFromAnother(t *testing.T) {
	memorytest.AboutFiles(t)
	s, other := filled(t, 1), filled(t, 2)
	file := filepath.Join(t.TempDir(), "copy.db")
	_, err := folder(filepath.Dir(s.File.Path())).Backup(t.Context(), file, false)
	must(t, err)
	dir := filepath.Dir(other.File.Path())
	must(t, other.Close())
	c, err := folder(dir).Restore(t.Context(), file)
	must(t, err)
	if c.Carried || c.Aside == "" {
		t.Errorf("%+v", c)
	}
	again, err := memory.Open(t.Context(), dir, memory.Options{})
	must(t, err)
	left, err := again.Adopt(t.Context(), []chat.Key{{Platform: "p", Channel: "c"}})
	must(t, err)
	if len(left) != 100 {
		t.Errorf("%d messages wait", len(left))
	}
	must(t, again.Close())
}
