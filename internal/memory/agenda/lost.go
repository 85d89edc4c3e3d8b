package agenda

import (
	"cmp"
	"context"
	"slices"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// Away says whether a reminder's place is lost: the bot is out of it or may not write
// there, or its person left or blocked the bot. It is kept until the place is back.
type Away string

// The states of a place.
const (
	AtHand Away = ""
	Lost   Away = "lost"
	Back   Away = "back" // was lost, and the reminder was not said since
)

// Lose keeps, within a transaction, the reminders that wait and fit a condition until
// their place is back.
func Lose(tx *engine.Tx, now time.Time, which string, args ...any) error {
	_, err := tx.Exec("UPDATE reminders SET away = 'lost', lost = ? WHERE state = 'waiting' AND away <> 'lost' AND "+which,
		append([]any{engine.Stamp(now)}, args...)...)
	return engine.During("keep reminders of a lost place", err)
}

// LoseReminder is Lose for one.
func (b *Agenda) LoseReminder(ctx context.Context, id int64) error {
	return b.db.Write(ctx, func(tx *engine.Tx) error { return Lose(tx, b.now(), "id = ?", id) })
}

// mayBe is the condition on a reminder whose person is not known to be out of its place,
// or to have blocked the bot there.
const mayBe = `NOT EXISTS (SELECT 1 FROM membership b WHERE b.user_id = reminders.user_id AND b.platform = reminders.platform AND b.channel = reminders.channel AND b.state <> 'in')`

// Found lets, within a transaction, the reminders of a place go on.
func Found(tx *engine.Tx, k chat.Key) error {
	_, err := tx.Exec("UPDATE reminders SET away = 'back' WHERE away = 'lost' AND platform = ? AND channel = ? AND "+mayBe,
		k.Platform, k.Channel)
	return engine.During("go on with reminders", err)
}

// Regain lets the reminders go on whose place is back: their person was seen there since
// it was lost, or anything was heard from it, such as that the bot was added again.
func (b *Agenda) Regain(ctx context.Context) error {
	const back = ` FROM reminders WHERE state = 'waiting' AND away = 'lost' AND ` + mayBe + ` AND (
		EXISTS (SELECT 1 FROM membership b WHERE b.user_id = reminders.user_id AND b.platform = reminders.platform AND b.channel = reminders.channel AND b.checked_at > reminders.lost)
		OR EXISTS (SELECT 1 FROM inbox i WHERE i.platform = reminders.platform AND i.channel = reminders.channel AND i.state <> 'dead' AND i.at > reminders.lost))`
	ids, err := engine.Select(b.db, engine.Value[int64], "SELECT id"+back)
	if err != nil || len(ids) == 0 {
		return engine.During("go on with reminders", err)
	}
	return engine.During("go on with reminders", b.db.Write(ctx, func(tx *engine.Tx) error {
		for _, id := range ids {
			if _, err := tx.Exec("UPDATE reminders SET away = 'back' WHERE away = 'lost' AND id = ?", id); err != nil {
				return err
			}
		}
		return nil
	}))
}

// Lost lists the reminders whose place was lost before a moment and whose person has not
// heard of that since another, by person and place; at most limit.
func (b *Agenda) Lost(_ context.Context, before, told time.Time, limit int) ([]Reminder, error) {
	list, err := b.reminders("SELECT "+reminderColumns+
		` FROM reminders WHERE state = 'waiting' AND away = 'lost' AND lost <= ? AND lost_told < ? LIMIT ?`,
		engine.Stamp(before), engine.Stamp(told), limit)
	slices.SortFunc(list, func(a, b Reminder) int {
		return cmp.Or(cmp.Compare(a.User.ID, b.User.ID), cmp.Compare(a.Key.String(), b.Key.String()), cmp.Compare(a.ID, b.ID))
	})
	return list, err
}

// TellLost notes that the person of some reminders hears that these wait, and puts what
// is said into the outbox; without parts nobody can be told. The caller flushes.
func (b *Agenda) TellLost(ctx context.Context, list []Reminder, parts []chat.Part) error {
	return engine.During("tell of reminders that wait", b.db.Write(ctx, func(tx *engine.Tx) error {
		for _, r := range list {
			if _, err := tx.Exec("UPDATE reminders SET lost_told = ? WHERE id = ?", engine.Stamp(b.now()), r.ID); err != nil {
				return err
			}
		}
		if len(parts) == 0 {
			return nil
		}
		return b.notify(tx, "lost:"+list[0].What(), parts)
	}))
}

// Unsaid finds, within a transaction, the reminder that a part was to say which can never
// be delivered, and keeps it until its place is back. is reports whether the part has a
// name; found is false for a part of anything else.
func Unsaid(tx *engine.Tx, p chat.Part, now time.Time, is func(what string) bool) (found bool, err error) {
	list, err := engine.Select(tx, scanReminder, "SELECT "+reminderColumns+
		" FROM reminders WHERE state = 'told' AND user_id = ? AND platform = ? AND channel = ? ORDER BY told_at DESC LIMIT ?",
		p.To.ID, p.Key.Platform, p.Key.Channel, MaxReminders)
	for _, r := range list {
		if err == nil && is(r.What()) {
			found = true
			_, err = tx.Exec("UPDATE reminders SET state = 'waiting', away = 'lost', lost = ? WHERE id = ?", engine.Stamp(now), r.ID)
		}
	}
	return found, engine.During("keep a reminder that was not said", err)
}
