package modellog

import (
	"context"
	"encoding/json"

	"parley/internal/db/engine"
)

// Witness reads from the bot's database whose words went into the answers to messages.
type Witness struct{ db *engine.DB }

// NewWitness returns a Witness for the database of the messages.
func NewWitness(db *engine.DB) Witness { return Witness{db} }

// question asks about messages.
type question struct {
	rows  []int64 // in the inbox
	since string  // none was answered before
}

// lastRow returns the row of the newest message.
func (w Witness) lastRow(ctx context.Context) (n int64, err error) {
	err = w.db.QueryRowContext(ctx, "SELECT coalesce(max(id), 0) FROM inbox").Scan(&n)
	return n, engine.During("find the newest message", err)
}

// withoutPerson returns the messages whose answers certainly used no words of a person:
// their accounts name everybody whose words were used, and the person never spoke in the
// place.
func (w Witness) withoutPerson(ctx context.Context, user string, q question) (map[int64]bool, error) {
	return w.ask(ctx, `d.user_id <> :user AND NOT EXISTS (SELECT 1 FROM json_each(nullif(d.people, '')) WHERE value IN (:user, '*'))
		AND NOT EXISTS (SELECT 1 FROM participants p WHERE p.user_id = :user AND p.platform = d.platform AND p.channel = d.channel)`, q, engine.Named{"user": user})
}

// withoutSession returns the messages from other places, of people who never spoke in the
// place of a session: only people there may read its words.
func (w Witness) withoutSession(ctx context.Context, id string, q question) (map[int64]bool, error) {
	return w.ask(ctx, `NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = :session AND (
		(s.platform, s.channel) = (d.platform, d.channel) OR s.user_id = d.user_id
		OR EXISTS (SELECT 1 FROM participants p WHERE p.user_id = d.user_id AND p.platform = s.platform AND p.channel = s.channel)))`, q, engine.Named{"session": id})
}

// kept returns the messages whose conversation is still stored.
func (w Witness) kept(ctx context.Context, q question) (map[int64]bool, error) {
	return w.ask(ctx, "d.session_id = '' OR EXISTS (SELECT 1 FROM messages m WHERE m.session_id = d.session_id)", q, nil)
}

// ask returns the messages that have accounts, all of which meet a condition.
func (w Witness) ask(ctx context.Context, where string, q question, args engine.Named) (map[int64]bool, error) {
	list, err := json.Marshal(q.rows)
	if err != nil {
		return nil, err
	}
	rows, err := w.db.QueryContext(ctx,
		`SELECT d.inbox_id FROM decisions d WHERE d.at >= :since AND d.inbox_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:rows))
		GROUP BY d.inbox_id HAVING min(CASE WHEN d.detail <> '{}' AND (`+where+") THEN 1 ELSE 0 END) = 1", engine.Named{"rows": string(list), "since": q.since}.With(args))
	if err != nil {
		return nil, engine.During("ask about messages", err)
	}
	ids, err := engine.Collect(rows, func(r engine.Scanner) (n int64, err error) { return n, r.Scan(&n) })
	all := map[int64]bool{}
	for _, id := range ids {
		all[id] = true
	}
	return all, engine.During("ask about messages", err)
}
