package access

import (
	"context"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// Attested is how long it counts that somebody was seen to be in a place; after
// that they may have left unnoticed.
const Attested = 10 * time.Minute

// Absent reports whether somebody is known to be out of a place, or to have
// blocked the bot there.
func (r *Register) Absent(_ context.Context, user string, k chat.Key) (bool, error) {
	state, err := r.db.Word("read presence", "SELECT state FROM membership WHERE user_id = ? AND platform = ? AND channel = ?",
		user, k.Platform, k.Channel)
	return state == string(chat.Absent) || state == string(chat.Blocked), err
}

// Unattested lists the places where somebody spoke, the latest first, and was
// not seen lately; at most limit.
func (r *Register) Unattested(_ context.Context, user string, limit int) (keys []chat.Key, err error) {
	keys, err = engine.Select(r.db, func(row engine.Scanner) (k chat.Key, err error) {
		err = row.Scan(&k.Platform, &k.Channel)
		return k, err
	}, `SELECT p.platform, p.channel FROM participants p
		LEFT JOIN membership b ON b.user_id = p.user_id AND b.platform = p.platform AND b.channel = p.channel
		WHERE p.user_id = ? AND coalesce(b.checked_at, '') < ? GROUP BY p.platform, p.channel ORDER BY max(p.last_id) DESC LIMIT ?`,
		user, engine.Stamp(r.now().Add(-Attested)), limit)
	return keys, engine.During("list places", err)
}
