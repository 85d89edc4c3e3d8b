package sessions

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"parley/internal/db/engine"
	"parley/internal/memory/ends"
)

// Debt is a part of a session that no model could summarize yet. Until one does, an extract
// made by code takes its place.
type Debt struct {
	After   int64     `json:"after"`   // row of the last message before it
	Summary string    `json:"summary"` // of everything before it
	Tries   int       `json:"tries"`   // that failed
	Due     time.Time `json:"-"`       // of the next try
}

// awaited is how often a summary is tried before the end of its session is told without it.
// That takes some hours.
const awaited = 6

// Awaited reports whether the end of a session is not told yet, because its summary is owed.
func (d *Debt) Awaited() bool { return d != nil && d.Tries < awaited }

// Postpone stores a debt with its next try, unless it was paid.
func (a *Archive) Postpone(ctx context.Context, id string, d Debt) error {
	b, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("postpone a summary: %w", err)
	}
	return a.db.Write(ctx, func(tx *engine.Tx) error {
		_, err := tx.Exec("UPDATE sessions SET debt = ?, owed_at = ? WHERE id = ? AND owed_at <> ''", string(b), engine.Stamp(d.Due), id)
		return err
	})
}

// Resume makes an ended session the live one of its place again, as successor of the one
// that ended last. ok is false if the place has a live session. The caller works in the lane
// of the place.
func (a *Archive) Resume(ctx context.Context, id string, ttl time.Duration) (ok bool, err error) {
	now := a.now()
	err = a.db.Write(ctx, func(tx *engine.Tx) error {
		res, err := tx.Exec(`UPDATE sessions AS s SET status = 'active', ended_at = '', carry = true, last_activity = :now, expires_at = :expires,
			summary = iif(EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id), summary, closing),
			carried_from = coalesce((SELECT p.id FROM sessions p WHERE p.platform = s.platform AND p.channel = s.channel AND p.thread = s.thread AND p.user_id = s.user_id AND p.agent = s.agent
				AND p.ended_at <> '' AND p.id <> s.id AND p.carry ORDER BY p.ended_at DESC LIMIT 1), '')
			WHERE id = :id AND status IN ('completed', 'expired', 'archived') AND NOT EXISTS (SELECT 1 FROM sessions l WHERE l.platform = s.platform AND l.channel = s.channel
				AND l.thread = s.thread AND l.user_id = s.user_id AND l.agent = s.agent AND l.status IN ('active', 'idle', 'suspended'))`,
			engine.Named{"id": id, "now": engine.Stamp(now), "expires": engine.Stamp(now.Add(ttl))})
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		ok = n == 1
		return err
	})
	if err != nil {
		return false, fmt.Errorf("resume session: %w", err)
	}
	return ok, nil
}

// Failed counts a failed attempt to summarize an ended session, and returns the count. The
// first one tells that the session is over all the same.
func (a *Archive) Failed(ctx context.Context, id string) (tries int, err error) {
	err = a.db.Write(ctx, func(tx *engine.Tx) error {
		err := tx.QueryRow("UPDATE sessions SET summary_tries = summary_tries + 1 WHERE id = ? RETURNING summary_tries", id).Scan(&tries)
		if err != nil || tries > 1 {
			return err
		}
		return ends.Tell(tx, ends.Unsummed, id, a.now())
	})
	return tries, err
}
