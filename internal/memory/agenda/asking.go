package agenda

import (
	"context"
	"fmt"

	"parley/internal/db/engine"
)

// Named returns what the messages of a question that asks itself begin with.
func (r Reminder) Named() string { return fmt.Sprintf("ask:%d:", r.ID) }

// AskedBy returns the id of the reminder whose question a message is, by the message's id; 0
// for none.
func AskedBy(message string) (id int64) {
	_, _ = fmt.Sscanf(message, "ask:%d:", &id)
	return id
}

// Asked returns the reminder of an id, whatever became of it; ErrNoReminder for none.
func (b *Agenda) Asked(_ context.Context, id int64) (Reminder, error) {
	m, err := scanReminder(b.db.QueryRow("SELECT "+reminderColumns+" FROM reminders WHERE id = ?", id))
	return m, engine.NoRow(err, ErrNoReminder)
}

// Unanswered reports whether a recurring question got no answer the last time it was asked.
func (b *Agenda) Unanswered(_ context.Context, id int64) (yes bool, err error) {
	err = b.db.QueryRow(`SELECT EXISTS (SELECT 1 FROM reminders r WHERE r.id = :id AND r.schedule <> '' AND (SELECT d.outcome FROM decisions d
		WHERE d.user_id = r.user_id AND d.message_id >= :from AND d.message_id < :to ORDER BY d.at DESC LIMIT 1) IN ('failed', 'refused'))`,
		engine.Named{"id": id, "from": Reminder{ID: id}.Named(), "to": fmt.Sprintf("ask:%d;", id)}).Scan(&yes)
	return yes, engine.During("look at the last answer", err)
}

// Spent is the usage so far of a question that asks itself.
type Spent struct {
	Times  int // it was put to the assistant
	Tokens int
	Cost   float64
	Last   string // decision about the newest; "" for none
}

// Spent sums up what a reminder's questions took.
func (b *Agenda) Spent(_ context.Context, r Reminder) (s Spent, err error) {
	const of = " FROM decisions WHERE user_id = ? AND message_id >= ? AND message_id < ?"
	from, to := r.Named(), fmt.Sprintf("ask:%d;", r.ID)
	if err := b.db.QueryRow("SELECT count(*), coalesce(sum(total_tokens), 0), coalesce(sum(cost), 0)"+of, r.User.ID,
		from, to).Scan(&s.Times, &s.Tokens, &s.Cost); err != nil {
		return s, engine.During("sum up questions", err)
	}
	s.Last, err = b.db.Word("find the last question", "SELECT id"+of+" AND outcome = 'answered' ORDER BY at DESC LIMIT 1", r.User.ID, from, to)
	return s, err
}

// See remembers what a question rests on, as a hash; "" is not known yet.
func (b *Agenda) See(ctx context.Context, id int64, seen string) error {
	return engine.During("note what a question rests on", b.db.Exec(ctx, "UPDATE reminders SET seen = ? WHERE id = ?", seen, id))
}

// Unseen lists questions that were asked and of which it is not known what they rest
// on.
func (b *Agenda) Unseen(context.Context) ([]Reminder, error) {
	return b.reminders("SELECT " + reminderColumns +
		" FROM reminders WHERE only_changed AND ask AND seen = '' AND told_at <> '' AND state = 'waiting' LIMIT 50")
}
