package memory

import (
	"context"
	"errors"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/memory/provenance"
)

// SaidBy returns whose words a message of the platform is, and how they came: a
// person's, or the bot's, whose answer was made of the words of others. What is
// not known is from outside.
func (s *Store) SaidBy(_ context.Context, k chat.Key, id string) (o Origin, err error) {
	var user string
	err = s.db.QueryRow(`SELECT user_id, via, people FROM messages
		WHERE platform = ? AND channel = ? AND thread = ? AND message_id = ? AND message_id <> '' AND role = 'user' LIMIT 1`,
		k.Platform, k.Channel, k.Thread, id).Scan(&user, &o.Via, (*names)(&o.People))
	if errors.Is(err, ErrNotFound) {
		user, o, err = s.answered(k, id)
	}
	if errors.Is(err, ErrNotFound) {
		return Origin{Via: provenance.ViaUnknown}, nil
	}
	return o.Of(user), during("look up a quoted message", err)
}

// answered returns whom an answer of the bot's was for, and what it was made of. Its
// audit was stored with it, so it is looked for about that moment.
func (s *Store) answered(k chat.Key, id string) (user string, o Origin, err error) {
	var inbox int64
	var at time.Time
	err = s.db.QueryRow(`SELECT inbox_id, at FROM outbox WHERE platform = ? AND channel = ? AND thread = ? AND platform_id = ? AND platform_id <> '' AND inbox_id <> 0 LIMIT 1`,
		k.Platform, k.Channel, k.Thread, id).Scan(&inbox, engine.Stamped(&at))
	if err != nil {
		return "", o, err
	}
	const about = time.Minute
	err = s.db.QueryRow("SELECT user_id, via, people FROM decisions WHERE platform = ? AND channel = ? AND at BETWEEN ? "+
		"AND ? AND inbox_id = ? LIMIT 1",
		k.Platform, k.Channel, Stamp(at.Add(-about)), Stamp(at.Add(about)), inbox).Scan(&user, &o.Via, (*names)(&o.People))
	return user, o, err
}
