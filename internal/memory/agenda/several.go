package agenda

import (
	"context"

	"parley/internal/db/engine"
	"parley/internal/memory/provenance"
)

// CancelReminders ends reminders, as CancelReminder does: all or none. What no longer waits is
// passed over. It returns those that it ended.
func (b *Agenda) CancelReminders(ctx context.Context, v provenance.Viewer, all []Reminder) (out []Reminder, err error) {
	err = b.db.Write(ctx, func(tx *engine.Tx) error {
		out = nil
		for _, r := range all {
			_, err := scanReminder(tx.QueryRow("UPDATE reminders SET state = 'done' WHERE "+ofOwner+
				" AND id = :id AND state = 'waiting' RETURNING "+reminderColumns, v.Named(engine.Named{"id": r.ID})))
			switch err = engine.NoRow(err, ErrNoReminder); err {
			case nil:
				out = append(out, r)
			case ErrNoReminder:
			default:
				return err
			}
		}
		return nil
	})
	return out, engine.During("cancel reminders", err)
}

// MoveReminders gives reminders other times, as MoveReminder does: all or none.
func (b *Agenda) MoveReminders(ctx context.Context, v provenance.Viewer, all []Reminder) (out []Reminder, err error) {
	err = b.db.Write(ctx, func(tx *engine.Tx) error {
		out = nil
		for _, to := range all {
			if err := roomForReminder(tx, to.User.ID, to.ID); err != nil {
				return err
			}
			r, err := scanReminder(tx.QueryRow("UPDATE reminders SET state = 'waiting', due_at = :due, schedule = :schedule, zone = :zone WHERE "+ofOwner+
				" AND id = :id AND state <> 'done' RETURNING "+reminderColumns,
				v.Named(engine.Named{"id": to.ID, "due": engine.Stamp(to.Due), "schedule": to.Schedule, "zone": to.Zone})))
			if err != nil {
				return engine.NoRow(err, ErrNoReminder)
			}
			out = append(out, r)
		}
		return nil
	})
	return out, engine.During("move reminders", err)
}
