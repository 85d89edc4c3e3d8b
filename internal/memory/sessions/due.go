package sessions

import (
	"context"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// The queries repeat the condition of the index on sessions that are not over, "status <>
// 'archived'". Without it SQLite would read all sessions ever stored.

// Due names a session that needs work, and its lane.
type Due struct {
	ID  string
	Key chat.Key
}

// DueToExpire lists live sessions whose time is over, at most limit.
func (a *Archive) DueToExpire(_ context.Context, limit int) ([]Due, error) {
	return a.due(`SELECT id, platform, channel, thread FROM sessions
		WHERE status IN ('active', 'idle', 'suspended') AND status <> 'archived' AND expires_at <= ? ORDER BY expires_at LIMIT ?`, engine.Stamp(a.now()), limit)
}

// DueToArchive lists ended sessions without a final summary, at most limit.
func (a *Archive) DueToArchive(_ context.Context, limit int) ([]Due, error) {
	return a.due(`SELECT id, platform, channel, thread FROM sessions
		WHERE status IN ('completed', 'expired') AND status <> 'archived' ORDER BY ended_at LIMIT ?`, limit)
}

// DueToPay lists sessions with a Debt that is due, at most limit.
func (a *Archive) DueToPay(_ context.Context, limit int) ([]Due, error) {
	return a.due("SELECT id, platform, channel, thread FROM sessions WHERE owed_at <> '' AND owed_at <= ? ORDER BY owed_at LIMIT ?",
		engine.Stamp(a.now()), limit)
}

func (a *Archive) due(query string, args ...any) ([]Due, error) {
	list, err := engine.Select(a.db, func(r engine.Scanner) (d Due, err error) {
		return d, r.Scan(&d.ID, &d.Key.Platform, &d.Key.Channel, &d.Key.Thread)
	}, query, args...)
	return list, engine.During("list sessions that are due", err)
}
