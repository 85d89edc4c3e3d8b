package memory

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"parley/internal/chat"
	"parley/internal/engine"
)

// attested is how long it counts that somebody was seen to be in a place; after
// that they may have left unnoticed.
const attested = 10 * time.Minute

// Attend stores a platform's answer about somebody's membership of a conversation.
func (s *Store) Attend(ctx context.Context, p chat.Presence) error {
	return during("store presence", s.db.Write(ctx, func(tx *engine.Tx) error { return appear(tx, p, Stamp(s.now())) }))
}

// attend applies one Presence. Whoever comes back sees what is said from then
// on, and their own words.
func appear(tx *engine.Tx, p chat.Presence, now string) error {
	k := p.Key
	if p.User.ID == "" { // we are out: of nobody it is known any more
		_, e1 := tx.Exec("DELETE FROM membership WHERE platform = ? AND channel = ? AND state = 'in'", k.Platform, k.Channel)
		return errors.Join(e1, endReminders(tx, "gone", "platform = ? AND channel = ?", k.Platform, k.Channel))
	}
	since := ""
	if !p.Joined.IsZero() {
		since = Stamp(p.Joined)
	}
	_, err := tx.Exec(`INSERT INTO membership (user_id, platform, channel, state, since, checked_at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (user_id, platform, channel) DO UPDATE SET checked_at = excluded.checked_at, state = excluded.state,
		since = CASE WHEN excluded.state <> 'in' OR membership.state = 'in' THEN membership.since WHEN excluded.since = '' THEN excluded.checked_at ELSE excluded.since END`,
		p.User.ID, k.Platform, k.Channel, string(p.State), since, now)
	switch {
	case err != nil || p.State == chat.Present:
		return err
	case p.State == chat.Blocked:
		if _, err := tx.Exec("DELETE FROM codes WHERE purpose = 'pair' AND user_id = ?", p.User.ID); err != nil {
			return err
		}
	}
	return endReminders(tx, string(p.State), "user_id = ? AND platform = ? AND channel = ?", p.User.ID, k.Platform, k.Channel)
}

// spoke takes it from a message that its author is there.
func spoke(tx *engine.Tx, m chat.Message, now string) error {
	if m.Kind != chat.KindText && m.Kind != chat.KindCommand {
		return nil
	}
	_, err := tx.Exec(`UPDATE membership SET state = 'in', since = iif(state = 'out', ?, since), checked_at = ?
		WHERE user_id = ? AND platform = ? AND channel = ? AND state <> 'in'`, now, now, m.From.ID, m.Key.Platform, m.Key.Channel)
	return err
}

// Absent reports whether somebody is known to be out of a place, or to have
// blocked the bot there.
func (s *Store) Absent(_ context.Context, user string, k chat.Key) (bool, error) {
	state, err := s.db.Word("read presence", "SELECT state FROM membership WHERE user_id = ? AND platform = ? AND channel = ?", user, k.Platform, k.Channel)
	return state == string(chat.Absent) || state == string(chat.Blocked), err
}

// Unattested lists the places where somebody spoke, the latest first, and was
// not seen lately; at most limit.
func (s *Store) Unattested(_ context.Context, user string, limit int) (keys []chat.Key, err error) {
	rows, err := s.db.Query(`SELECT p.platform, p.channel FROM participants p
		LEFT JOIN membership b ON b.user_id = p.user_id AND b.platform = p.platform AND b.channel = p.channel
		WHERE p.user_id = ? AND coalesce(b.checked_at, '') < ? GROUP BY p.platform, p.channel ORDER BY max(p.last_id) DESC LIMIT ?`,
		user, Stamp(s.now().Add(-attested)), limit)
	if err != nil {
		return nil, during("list places", err)
	}
	keys, err = engine.Collect(rows, func(r *sql.Rows) (k chat.Key, err error) {
		err = r.Scan(&k.Platform, &k.Channel)
		return k, err
	})
	return keys, during("list places", err)
}

// EndReminder ends one.
func (s *Store) EndReminder(ctx context.Context, id int64, why string) error {
	return during("end reminder", s.db.Write(ctx, func(tx *engine.Tx) error { return endReminders(tx, why, "id = ?", id) }))
}

func endReminders(tx *engine.Tx, why, which string, args ...any) error {
	_, err := tx.Exec("UPDATE reminders SET state = 'done', ended = ? WHERE state = 'waiting' AND "+which, append([]any{why}, args...)...)
	return err
}
