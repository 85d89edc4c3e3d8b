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
	l := &living{T: t, Store: memorytest.Open(t, memory.Options{})}
	dir, file := filepath.Dir(l.File.Path()), filepath.Join(t.TempDir(), "copy.db")
	old := l.hear(1, 3)
	l.aside("read since")
	must(t, l.SaveSteps(t.Context(), old[1].Row, []memory.Step{{N: 1, Kind: "model", Done: true, Result: "half"}})())
	l.answer(old[0], false) // unsent when the copy is made
	told := l.remind("once")
	must(t, waittest.Second(folder(dir).Backup(t.Context(), file, false)))

	l.send()
	l.answer(old[1], true)
	later := l.hear(4, 3)
	l.answer(later[0], true)
	l.answer(later[1], false)
	must(t, l.SaveSteps(t.Context(), later[2].Row, []memory.Step{{N: 1, Kind: "tool", Key: "paid", Done: true, Result: "it is paid"}})())
	must(t, waittest.Second(l.Agenda.FireReminder(t.Context(), told, time.Time{}, nil)))
	letters, err := l.Letters.List(t.Context(), 0, 10)
	must(t, err)
	must(t, l.Letters.Drop(t.Context(), letters[0].ID))
	l.aside("put aside since")
	task, given := l.task(), l.remind("later")
	must(t, l.Close())

	for round := range 2 {
		c, err := folder(dir).Restore(t.Context(), file)
		must(t, err)
		if !c.Carried {
			t.Fatalf("round %d: nothing was taken over", round)
		}
		l.Store, err = memory.Open(t.Context(), dir, memory.Options{})
		must(t, err)
		if steps, err := l.Steps(t.Context(), old[1].Row); err != nil || len(steps) > 0 {
			t.Errorf("round %d: of an answered message: %+v %v", round, steps, err)
		}
		l.repeatsNothing(round)
		if next := l.task(); next.ID <= task.ID {
			t.Errorf("round %d: task %+v has the row of %+v", round, next, task)
		} else {
			task = next
		}
		if next := l.remind("new"); next.Number <= given.Number || next.ID <= given.ID {
			t.Errorf("round %d: #%d (row %d) was given out before, as %d (row %d) at the latest", round, next.Number, next.ID, given.Number, given.ID)
		} else {
			given = next
		}
		if list, err := l.Agenda.Reminders(t.Context(), theirs); err != nil || len(list) != 1 {
			t.Errorf("round %d: what is kept is not the copy's: %+v %v", round, list, err)
		}
		must(t, l.Close())
	}
}

var (
	somewhere = chat.Key{Platform: "p", Channel: "c"}
	ann       = chat.User{ID: "p:1", Name: "Ann"}
	theirs    = memory.Viewer{User: ann.ID, Key: somewhere, Direct: true}
)

// living is a store in which things happen.
type living struct {
	*testing.T
	*memory.Store
}

func (l *living) hear(from, n int) []chat.Message {
	b := batch(from, n)
	b.Cursors = map[string]string{"channel:c": fmt.Sprint(from + n - 1)}
	list, err := l.Accept(l.Context(), b)
	must(l, err)
	return list
}

// send sends the newest part that waits.
func (l *living) send() {
	parts, err := l.Pending(l.Context(), somewhere)
	must(l, err)
	must(l, l.Mark(l.Context(), parts[len(parts)-1], chat.PartSent, "sent", time.Time{}))
}

func (l *living) answer(m chat.Message, sent bool) {
	must(l, l.Finish(l.Context(), m, []chat.Part{{Key: somewhere, To: ann, Text: "answer to " + m.ID}}, &memory.Turn{
		Decision: memory.Decision{End: chat.End{Outcome: chat.Answered}}}))
	if sent {
		l.send()
	}
}

func (l *living) aside(id string) {
	must(l, waittest.Second(l.Accept(l.Context(), chat.Batch{Platform: "p",
		Dead: []chat.DeadLetter{{ID: id, Raw: []byte("{}"), Reason: "odd"}}})))
}

// remind adds a reminder that is due.
func (l *living) remind(text string) agenda.Reminder {
	r, err := l.Agenda.AddReminder(l.Context(), agenda.Reminder{User: ann, Key: somewhere, Text: text,
		Due: time.Now().Add(time.Millisecond)}, "")
	must(l, err)
	return r
}

func (l *living) task() agenda.Task {
	task, err := l.Agenda.AddTask(l.Context(), theirs, "first", "", memory.Origin{})
	must(l, err)
	return task
}

// repeatsNothing looks at what a restored store would do.
func (l *living) repeatsNothing(round int) {
	ctx := l.Context()
	if cursors, err := l.Cursors(ctx, "p"); err != nil || cursors["channel:c"] != "6" {
		l.Errorf("round %d: read up to %v %v", round, cursors, err)
	}
	if list, err := l.Letters.List(ctx, 0, 10); err != nil || len(list) != 1 || list[0].Event != "put aside since" {
		l.Errorf("round %d: put aside: %+v %v", round, list, err)
	}
	if again := l.hear(1, 6); len(again) > 0 {
		l.Errorf("round %d: %d messages are new again", round, len(again))
	}
	left, err := l.Adopt(ctx, []chat.Key{somewhere})
	must(l, err)
	if len(left) != 2 || left[0].ID != "3" || left[1].ID != "6" {
		l.Fatalf("round %d: unanswered: %+v", round, left)
	}
	steps, err := l.Steps(ctx, left[1].Row)
	must(l, err)
	if len(steps) != 1 || steps[0].Result != "it is paid" {
		l.Errorf("round %d: what was done for it: %+v", round, steps)
	}
	parts, err := l.Pending(ctx, somewhere)
	must(l, err)
	if len(parts) != 1 || parts[0].Text != "answer to 5" {
		l.Errorf("round %d: unsent: %+v", round, parts)
	}
	if due, err := l.Agenda.DueReminders(ctx, []string{"p"}, 10); err != nil || len(due) > 0 {
		l.Errorf("round %d: due again: %+v %v", round, due, err)
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
