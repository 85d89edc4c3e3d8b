package sessions

import (
	"context"
	"encoding/json"

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

// reachable is the condition on sessions that they are on one of some platforms, "" for all.
const reachable = `(:platforms = '' OR platform IN (SELECT value FROM json_each(nullif(:platforms, ''))))`

// DueToExpire lists live sessions of these platforms, nil for all, whose time is over, at most
// limit.
func (a *Archive) DueToExpire(_ context.Context, platforms []string, limit int) ([]Due, error) {
	return a.due(`status IN ('active', 'idle', 'suspended') AND status <> 'archived' AND expires_at <= :now AND `+reachable+`
		ORDER BY expires_at`, platforms, limit)
}

// DueToArchive lists ended sessions of these platforms, nil for all, without a final summary, at
// most limit.
func (a *Archive) DueToArchive(_ context.Context, platforms []string, limit int) ([]Due, error) {
	return a.due(`status IN ('completed', 'expired') AND status <> 'archived' AND `+reachable+` ORDER BY ended_at`, platforms, limit)
}

// DueToPay lists sessions of these platforms, nil for all, with a Debt that is due, at most limit.
func (a *Archive) DueToPay(_ context.Context, platforms []string, limit int) ([]Due, error) {
	return a.due(`owed_at <> '' AND owed_at <= :now AND `+reachable+` ORDER BY owed_at`, platforms, limit)
}

func (a *Archive) due(which string, platforms []string, limit int) ([]Due, error) {
	on := ""
	if platforms != nil {
		list, err := json.Marshal(platforms)
		if err != nil {
			return nil, engine.During("list sessions that are due", err)
		}
		on = string(list)
	}
	list, err := engine.Select(a.db, func(r engine.Scanner) (d Due, err error) {
		return d, r.Scan(&d.ID, &d.Key.Platform, &d.Key.Channel, &d.Key.Thread)
	}, "SELECT id, platform, channel, thread FROM sessions WHERE "+which+" LIMIT :limit",
		engine.Named{"now": engine.Stamp(a.now()), "platforms": on, "limit": limit})
	return list, engine.During("list sessions that are due", err)
}
