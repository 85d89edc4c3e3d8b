package agenda

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/memory/provenance"
	"parley/internal/text"
)

// MaxReminders is how many reminders a person may have waiting.
const MaxReminders = 100

// Reminder is something to be said later, where it was asked for.
type Reminder struct {
	ID       int64 `json:"-"` // its key; people know it by Number
	Number   int64
	User     chat.User
	Key      chat.Key
	Guild    string // the enclosing server, "" for none
	Text     string
	Due      time.Time         // the next time
	Schedule string            // cron expression; "" is once
	Zone     string            // the schedule's time zone
	Told     time.Time         // zero before the first time
	Away     Away              // its place is lost, or was
	Lost     time.Time         // when that was last; zero is never
	Origin   provenance.Origin // whose words, and how they came
	Agent    string            // that was asked for it
	Created  time.Time
	Asking
}

// Asking says that a reminder is a question, which is put to the assistant. The zero
// Asking is a reminder that is only said.
type Asking struct {
	Ask         bool
	OnlyChanged bool   // nothing is asked while what the last answer rests on is the same
	Seen        string // hash of what it rested on; "" is not known yet
}

// Errors about reminders. Their texts may be shown to people.
var (
	ErrNoReminder       = text.Tell("there is no such reminder")
	ErrTooManyReminders = text.Tell("you have %d reminders waiting, which is as many as I keep; cancel one first", MaxReminders)
)

const reminderColumns = "id, number, user_id, name, platform, channel, thread, text, due_at, schedule, zone, told_at, via, " +
	"people, ask, only_changed, seen, guild, agent, away, lost, created_at"

func scanReminder(r engine.Scanner) (m Reminder, err error) {
	err = r.Scan(&m.ID, &m.Number, &m.User.ID, &m.User.Name, &m.Key.Platform, &m.Key.Channel, &m.Key.Thread, &m.Text,
		engine.Stamped(&m.Due), &m.Schedule, &m.Zone, engine.Stamped(&m.Told), &m.Origin.Via, (*provenance.Names)(&m.Origin.People), &m.Ask,
		&m.OnlyChanged, &m.Seen, &m.Guild, &m.Agent, &m.Away, engine.Stamped(&m.Lost), engine.Stamped(&m.Created))
	return m, err
}

// AddReminder stores a reminder for r.User in r.Key; a second call with the
// same key ("" is none) returns the first one's.
func (b *Agenda) AddReminder(ctx context.Context, r Reminder, callKey string) (Reminder, error) {
	all, err := b.AddReminders(ctx, []Reminder{r}, callKey)
	if err != nil {
		return Reminder{}, err
	}
	return all[0], nil
}

// AddReminders stores the reminders of one call, all or none, as AddReminder does.
func (b *Agenda) AddReminders(ctx context.Context, all []Reminder, callKey string) (out []Reminder, err error) {
	err = b.db.Write(ctx, func(tx *engine.Tx) error {
		out = nil
		for i, r := range all {
			key := callKey
			if i > 0 && key != "" {
				key = fmt.Sprintf("%s+%d", callKey, i)
			}
			stored, err := b.addReminder(tx, r, key)
			if err != nil {
				return err
			}
			out = append(out, stored)
		}
		return nil
	})
	return out, engine.During("add reminder", err)
}

func (b *Agenda) addReminder(tx *engine.Tx, r Reminder, callKey string) (out Reminder, err error) {
	if r.Text, err = taskText(r.Text); err != nil {
		return out, err
	}
	if callKey != "" {
		out, err = scanReminder(tx.QueryRow("SELECT "+reminderColumns+" FROM reminders WHERE user_id = ? AND call_key = ?", r.User.ID, callKey))
		if !errors.Is(err, engine.ErrNotFound) {
			return out, err
		}
	}
	if err := roomForReminder(tx, r.User.ID, 0); err != nil {
		return out, err
	}
	id, err := tx.Insert(`INSERT INTO reminders (user_id, name, platform, channel, thread, text, due_at, schedule, zone, call_key, created_at, via, people, ask, only_changed, guild, agent)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.User.ID, r.User.Name, r.Key.Platform, r.Key.Channel, r.Key.Thread, r.Text, engine.Stamp(r.Due), r.Schedule,
		r.Zone, callKey, engine.Stamp(b.now()),
		int(r.Origin.Via), r.Origin.But(r.User.ID).Names(), r.Ask, r.OnlyChanged, r.Guild, r.Agent)
	if err != nil {
		return out, err
	}
	return scanReminder(tx.QueryRow("SELECT "+reminderColumns+" FROM reminders WHERE id = ?", id))
}

// roomForReminder refuses one more waiting reminder than a person may have;
// except waits already, or shall.
func roomForReminder(tx *engine.Tx, user string, except int64) error {
	var waiting int
	err := tx.QueryRow("SELECT count(*) FROM reminders WHERE user_id = ? AND state = 'waiting' AND id <> ?", user, except).Scan(&waiting)
	if err == nil && waiting >= MaxReminders {
		return ErrTooManyReminders
	}
	return err
}

// Reminders lists v's waiting reminders, the next one first; at most 100.
func (b *Agenda) Reminders(_ context.Context, v provenance.Viewer) ([]Reminder, error) {
	return b.reminders("SELECT "+reminderColumns+" FROM reminders WHERE "+ofOwner+" AND state = 'waiting' ORDER BY due_at, id LIMIT 100",
		v.Named(nil))
}

func (b *Agenda) reminders(query string, args ...any) ([]Reminder, error) {
	list, err := engine.Select(b.db, scanReminder, query, args...)
	return list, engine.During("list reminders", err)
}

// Reminder returns one that v can see, waiting or told; ErrNoReminder when
// there is none.
func (b *Agenda) Reminder(_ context.Context, v provenance.Viewer, id int64) (Reminder, error) {
	r, err := scanReminder(b.db.QueryRow("SELECT "+reminderColumns+" FROM reminders WHERE "+ofOwner+" AND id = :id AND state <> 'done'",
		v.Named(engine.Named{"id": id})))
	return r, engine.NoRow(err, ErrNoReminder)
}

// RowKey is what buttons call a reminder.
func (m Reminder) RowKey() int64 { return provenance.RowKey("reminder", m.Number, m.Created) }

// ReminderID returns the id of the reminder of this number or key that v can see, waiting or
// told; ErrNoReminder when there is none.
func (b *Agenda) ReminderID(_ context.Context, v provenance.Viewer, number int64) (id int64, err error) {
	m, err := scanReminder(b.db.QueryRow("SELECT "+reminderColumns+" FROM reminders WHERE "+ofOwner+
		" AND number = :number AND state <> 'done'", v.Named(engine.Named{"number": provenance.Numbered(number)})))
	if err == nil && !provenance.Fits(number, m.RowKey()) {
		err = ErrNoReminder
	}
	return m.ID, engine.NoRow(err, ErrNoReminder)
}

// FinishReminder ends a reminder that was told, or one that need not be told any
// more. A recurring one goes on. ErrNoReminder when it is over already.
func (b *Agenda) FinishReminder(ctx context.Context, v provenance.Viewer, id int64) (Reminder, error) {
	return b.changeReminder(ctx, "UPDATE reminders SET state = iif(schedule = '', 'done', state) WHERE "+ofOwner+
		" AND id = :id AND state <> 'done' RETURNING "+reminderColumns, v, id)
}

// CancelReminder ends a reminder, a recurring one for good.
func (b *Agenda) CancelReminder(ctx context.Context, v provenance.Viewer, id int64) (Reminder, error) {
	return b.changeReminder(ctx, "UPDATE reminders SET state = 'done' WHERE "+ofOwner+" AND id = :id AND state = 'waiting' RETURNING "+
		reminderColumns, v, id)
}

// SnoozeReminder says what a reminder said again at a time, once. A recurring
// one goes on as before beside that; one that was cancelled or is done stays so,
// and is ErrNoReminder.
func (b *Agenda) SnoozeReminder(ctx context.Context, v provenance.Viewer, id int64, due time.Time) (out Reminder, err error) {
	r, err := b.Reminder(ctx, v, id)
	if err != nil {
		return r, engine.During("snooze reminder", err)
	}
	if r.Schedule != "" {
		r.Due, r.Schedule = due, ""
		return b.AddReminder(ctx, r, fmt.Sprintf("snooze:%d:%s", id, engine.Stamp(due)))
	}
	err = b.db.Write(ctx, func(tx *engine.Tx) (err error) {
		if err := roomForReminder(tx, r.User.ID, id); err != nil {
			return err
		}
		out, err = scanReminder(tx.QueryRow("UPDATE reminders SET state = 'waiting', due_at = :due WHERE "+ofOwner+
			" AND id = :id AND state <> 'done' RETURNING "+reminderColumns,
			v.Named(engine.Named{"id": id, "due": engine.Stamp(due)})))
		return engine.NoRow(err, ErrNoReminder)
	})
	return out, engine.During("snooze reminder", err)
}

// MoveReminder gives a reminder, waiting or told, another time: due and, for one that comes
// again and again, its schedule in zone; "" is once. It waits then.
func (b *Agenda) MoveReminder(ctx context.Context, v provenance.Viewer, to Reminder) (out Reminder, err error) {
	all, err := b.MoveReminders(ctx, v, []Reminder{to})
	if err != nil {
		return out, err
	}
	return all[0], nil
}

func (b *Agenda) changeReminder(ctx context.Context, query string, v provenance.Viewer, id int64) (r Reminder, err error) {
	err = b.db.Write(ctx, func(tx *engine.Tx) error {
		r, err = scanReminder(tx.QueryRow(query, v.Named(engine.Named{"id": id})))
		return engine.NoRow(err, ErrNoReminder)
	})
	return r, engine.During("change reminder", err)
}

// DueReminders lists what should have been said on some platforms by now, at
// most limit. Those of a platform that does not run wait until it does.
func (b *Agenda) DueReminders(_ context.Context, platforms []string, limit int) ([]Reminder, error) {
	names, err := json.Marshal(platforms)
	if err != nil {
		return nil, err
	}
	return b.reminders("SELECT "+reminderColumns+` FROM reminders WHERE state = 'waiting' AND due_at <= ? AND away <> 'lost'
		AND platform IN (SELECT value FROM json_each(?)) ORDER BY due_at LIMIT ?`, engine.Stamp(b.now()), string(names), limit)
}

// FireReminder puts the words of a due reminder into the outbox and sets its
// next time, or ends it when next is zero, in one transaction: whatever
// crashes, it is said once for each time it was due. ok is false when it was
// said, moved or cancelled meanwhile. The caller flushes the lane.
func (b *Agenda) FireReminder(ctx context.Context, r Reminder, next time.Time, parts []chat.Part) (ok bool, err error) {
	err = b.db.Write(ctx, func(tx *engine.Tx) error {
		state := "waiting"
		if next.IsZero() {
			state, next = "told", r.Due
		}
		var n int64
		err := tx.Count(&n, "UPDATE reminders SET state = ?, due_at = ?, told_at = ?, away = '' WHERE id = ? AND state = "+
			"'waiting' AND away <> 'lost' AND due_at = ?",
			state, engine.Stamp(next), engine.Stamp(b.now()), r.ID, engine.Stamp(r.Due))
		if ok = n == 1; err != nil || !ok {
			return err
		}
		return b.notify(tx, r.What(), parts)
	})
	return ok, engine.During("fire reminder", err)
}

// What returns the Notify name of a due time of a reminder.
func (r Reminder) What() string {
	what := fmt.Sprintf("reminder:%d:%s", r.ID, engine.Stamp(r.Due))
	if !r.Lost.IsZero() { // said again after it went nowhere
		what += ":" + engine.Stamp(r.Lost)
	}
	return what
}

// EndReminder ends one that waits.
func (b *Agenda) EndReminder(ctx context.Context, id int64, why string) error {
	return engine.During("end reminder", b.db.Exec(ctx, "UPDATE reminders SET state = 'done', ended = ? WHERE state = 'waiting' AND id = ?", why, id))
}
