package agenda

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"parley/internal/db/engine"
	"parley/internal/memory/provenance"
	"parley/internal/text"
)

// MaxTask is the longest task or reminder in characters.
const MaxTask = 1000

// Task is something a person wants done.
type Task struct {
	ID          int64 `json:"-"` // its key; people know it by Number
	Number      int64
	Description string
	Done        bool
	Created     time.Time
	DoneAt      time.Time         // zero while open
	Origin      provenance.Origin // whose words, and how they came
}

// Errors about tasks; the text is fit for people.
var (
	ErrNoTask   = text.Tell("there is no such task")
	ErrTaskSize = text.Tell("a task has 1 to %d characters", MaxTask)
)

// taskText checks and cleans the text of a task or reminder.
func taskText(said string) (string, error) {
	said = text.Line(said)
	if n := utf8.RuneCountInString(said); n < 1 || n > MaxTask {
		return "", ErrTaskSize
	}
	return said, nil
}

const taskColumns = "id, number, description, done, created_at, done_at, via, people"

func scanTask(r engine.Scanner) (t Task, err error) {
	err = r.Scan(&t.ID, &t.Number, &t.Description, &t.Done, engine.Stamped(&t.Created), engine.Stamped(&t.DoneAt),
		&t.Origin.Via, (*provenance.Names)(&t.Origin.People))
	return t, err
}

// AddTask stores a task of v's; a second call with the same key ("" is none)
// returns the first one's. from is where the text comes from, other than v.
func (b *Agenda) AddTask(ctx context.Context, v provenance.Viewer, text, callKey string, from provenance.Origin) (t Task, err error) {
	if text, err = taskText(text); err != nil {
		return t, err
	}
	err = b.db.Write(ctx, func(tx *engine.Tx) error {
		if callKey != "" {
			t, err = scanTask(tx.QueryRow("SELECT "+taskColumns+" FROM tasks WHERE user_id = ? AND call_key = ?", v.User, callKey))
			if !errors.Is(err, engine.ErrNotFound) {
				return err
			}
		}
		now := engine.Stamp(b.now())
		id, err := tx.Insert(`INSERT INTO tasks (user_id, platform, channel, description, call_key, created_at, updated_at, via, people, agent)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, v.User, v.Key.Platform, v.Key.Channel, text, callKey, now, now,
			int(from.Via), from.But(v.User).Names(), v.Keeper())
		if err == nil { // read again: a file numbers the row once it is there
			t, err = scanTask(tx.QueryRow("SELECT "+taskColumns+" FROM tasks WHERE id = ?", id))
		}
		return err
	})
	return t, engine.During("add task", err)
}

// Tasks lists v's tasks, open ones first and the newest first. limit 0 is 20.
func (b *Agenda) Tasks(_ context.Context, v provenance.Viewer, limit, offset int) ([]Task, error) {
	if limit <= 0 {
		limit = 20
	}
	list, err := engine.Select(b.db, scanTask, "SELECT "+taskColumns+" FROM tasks WHERE "+ofOwner+" ORDER BY done, id DESC LIMIT :limit OFFSET :offset",
		v.Named(engine.Named{"limit": limit, "offset": offset}))
	return list, engine.During("list tasks", err)
}

// Task returns one that v can see; ErrNoTask when there is none.
func (b *Agenda) Task(_ context.Context, v provenance.Viewer, id int64) (Task, error) {
	t, err := scanTask(b.db.QueryRow("SELECT "+taskColumns+" FROM tasks WHERE "+ofOwner+" AND id = :id", v.Named(engine.Named{"id": id})))
	return t, engine.NoRow(err, ErrNoTask)
}

// RowKey is what buttons call a task.
func (t Task) RowKey() int64 { return provenance.RowKey("task", t.Number, t.Created) }

// TaskID returns the id of the task of this number or key that v can see; ErrNoTask when there
// is none.
func (b *Agenda) TaskID(_ context.Context, v provenance.Viewer, number int64) (id int64, err error) {
	t, err := scanTask(b.db.QueryRow("SELECT "+taskColumns+" FROM tasks WHERE "+ofOwner+" AND number = :number",
		v.Named(engine.Named{"number": provenance.Numbered(number)})))
	if err == nil && !provenance.Fits(number, t.RowKey()) {
		err = ErrNoTask
	}
	return t.ID, engine.NoRow(err, ErrNoTask)
}

// UpdateTask changes what a task says.
func (b *Agenda) UpdateTask(ctx context.Context, v provenance.Viewer, id int64, text string, from provenance.Origin) (Task, error) {
	text, err := taskText(text)
	if err != nil {
		return Task{}, err
	}
	return b.changeTask(ctx, "UPDATE tasks SET description = :text, updated_at = :now, via = via | :via, people = "+
		provenance.MorePeople(":people")+" WHERE "+ofOwner+" AND id = :id RETURNING "+taskColumns,
		v, engine.Named{"id": id, "text": text, "now": engine.Stamp(b.now()), "via": int(from.Via), "people": from.But(v.User).Names()})
}

// CompleteTask ticks a task off; again says nothing new.
func (b *Agenda) CompleteTask(ctx context.Context, v provenance.Viewer, id int64) (Task, error) {
	return b.changeTask(ctx, `UPDATE tasks SET done_at = iif(done, done_at, :now), updated_at = iif(done, updated_at, :now), done = true
		WHERE `+ofOwner+" AND id = :id RETURNING "+taskColumns, v, engine.Named{"id": id, "now": engine.Stamp(b.now())})
}

// DeleteTask removes a task.
func (b *Agenda) DeleteTask(ctx context.Context, v provenance.Viewer, id int64) (Task, error) {
	return b.changeTask(ctx, "DELETE FROM tasks WHERE "+ofOwner+" AND id = :id RETURNING "+taskColumns, v, engine.Named{"id": id})
}

func (b *Agenda) changeTask(ctx context.Context, query string, v provenance.Viewer, args engine.Named) (t Task, err error) {
	err = b.db.Write(ctx, func(tx *engine.Tx) error {
		t, err = scanTask(tx.QueryRow(query, v.Named(args)))
		return engine.NoRow(err, ErrNoTask)
	})
	return t, engine.During("change task", err)
}
