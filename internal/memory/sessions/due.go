package sessions

import (
	"context"
	"database/sql"
	"fmt"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// The index of sessions that are not over names its condition: without the same
// words beside the list of states, all sessions ever kept are read.

// Due names a session that cron should look at, and the lane it lives in.
type Due struct {
	ID  string
	Key chat.Key
}

// DueToExpire lists live sessions whose time has passed, at most limit.
func (a *Archive) DueToExpire(_ context.Context, limit int) ([]Due, error) {
	return a.due(`SELECT id, platform, channel, thread FROM sessions
		WHERE status IN ('active', 'idle', 'suspended') AND status <> 'archived' AND expires_at <= ? ORDER BY expires_at LIMIT ?`, engine.Stamp(a.now()), limit)
}

// DueToArchive lists ended sessions without a final summary, at most limit.
func (a *Archive) DueToArchive(_ context.Context, limit int) ([]Due, error) {
	return a.due(`SELECT id, platform, channel, thread FROM sessions
		WHERE status IN ('completed', 'expired') AND status <> 'archived' ORDER BY ended_at LIMIT ?`, limit)
}

// DueToPay lists the sessions that owe a summary and are to be tried now, at
// most limit.
func (a *Archive) DueToPay(_ context.Context, limit int) ([]Due, error) {
	return a.due("SELECT id, platform, channel, thread FROM sessions WHERE owed_at <> '' AND owed_at <= ? ORDER BY owed_at LIMIT ?",
		engine.Stamp(a.now()), limit)
}

func (a *Archive) due(query string, args ...any) ([]Due, error) {
	rows, err := a.db.Query(query, args...)
	if err != nil {
		return nil, fmt.Errorf("list sessions that are due: %w", err)
	}
	return engine.Collect(rows, func(r *sql.Rows) (d Due, err error) {
		return d, r.Scan(&d.ID, &d.Key.Platform, &d.Key.Channel, &d.Key.Thread)
	})
}
