package access

import (
	"context"
	"errors"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/memory/agenda"
)

// Attend stores a platform's answer about somebody's membership of a conversation.
func (r *Register) Attend(ctx context.Context, p chat.Presence) error {
	return engine.During("store presence", r.db.Write(ctx, func(tx *engine.Tx) error { return Appear(tx, p, r.now()) }))
}

// Appear is Attend within a transaction. Somebody who comes back sees what is said from then
// on, and their own words. Reminders wait for people who are out, and for everybody where
// the bot is out.
func Appear(tx *engine.Tx, p chat.Presence, now time.Time) error {
	var err error
	switch {
	case p.User.ID == "":
		err = Close(tx, p.Key.Whole(), chat.Left, now)
	case p.State == chat.Blocked:
		err = Close(tx, p.Key.Whole(), chat.Barred, now)
	case p.State == chat.Present:
		err = Return(tx, p.Key.Whole()) // platforms tell of those who are where the bot is
	}
	return errors.Join(err, appear(tx, p, now))
}

// Refused notes within a transaction that a platform refuses what is sent to a part's
// place, and what that says about who is there. A direct chat that was never opened is no
// closed place: the part waits for it.
func Refused(tx *engine.Tx, p chat.Part, says chat.Presence, now time.Time) error {
	var err error
	switch {
	case p.Await:
	case says.State == chat.Blocked:
		err = Close(tx, p.Key, chat.Barred, now)
	default:
		err = Close(tx, p.Key, chat.Shut, now)
	}
	return errors.Join(err, appear(tx, says, now))
}

func appear(tx *engine.Tx, p chat.Presence, now time.Time) error {
	k := p.Key
	if p.User.ID == "" { // the bot is out; membership is unknown
		_, e1 := tx.Exec("DELETE FROM membership WHERE platform = ? AND channel = ? AND state = 'in'", k.Platform, k.Channel)
		return errors.Join(e1, agenda.Lose(tx, now, "platform = ? AND channel = ?", k.Platform, k.Channel))
	}
	since := ""
	if !p.Joined.IsZero() {
		since = engine.Stamp(p.Joined)
	}
	_, err := tx.Exec(`INSERT INTO membership (user_id, platform, channel, state, since, checked_at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (user_id, platform, channel) DO UPDATE SET checked_at = excluded.checked_at, state = excluded.state,
		since = CASE WHEN excluded.state <> 'in' OR membership.state = 'in' THEN membership.since WHEN excluded.since = '' THEN excluded.checked_at ELSE excluded.since END`,
		p.User.ID, k.Platform, k.Channel, string(p.State), since, engine.Stamp(now))
	switch {
	case err != nil || p.State == chat.Present:
		return err
	case p.State == chat.Blocked:
		if _, err := tx.Exec("DELETE FROM codes WHERE purpose = 'pair' AND user_id = ?", p.User.ID); err != nil {
			return err
		}
	}
	return agenda.Lose(tx, now, "user_id = ? AND platform = ? AND channel = ?", p.User.ID, k.Platform, k.Channel)
}

// Spoke notes from a message that its author is there.
func Spoke(tx *engine.Tx, m chat.Message, at time.Time) error {
	if m.Kind != chat.KindText && m.Kind != chat.KindCommand {
		return nil
	}
	now := engine.Stamp(at)
	_, err := tx.Exec(`UPDATE membership SET state = 'in', since = iif(state = 'out', ?, since), checked_at = ?
		WHERE user_id = ? AND platform = ? AND channel = ? AND state <> 'in'`, now, now, m.From.ID, m.Key.Platform, m.Key.Channel)
	return err
}
