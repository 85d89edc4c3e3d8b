package agenda

import (
	"context"
	"fmt"

	"parley/internal/db/engine"
)

// Named returns what the messages of a question that asks itself begin with.
func (r Reminder) Named() string { return fmt.Sprintf("ask:%d:", r.ID) }

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
