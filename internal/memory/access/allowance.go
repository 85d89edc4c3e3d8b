package access

import (
	"context"
	"slices"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// Allow stops asking about a tool in a channel; by is whoever decided.
func (g *Register) Allow(ctx context.Context, k chat.Key, tool, by string) error {
	return engine.During("allow a tool", g.db.Write(ctx, func(tx *engine.Tx) error {
		_, err := tx.Exec("INSERT INTO allowances VALUES (?, ?, ?, ?, ?) ON CONFLICT (platform, channel, tool) DO UPDATE "+
			"SET by_id = excluded.by_id, at = excluded.at", k.Platform, k.Channel, tool, by, engine.Stamp(g.now()))
		return err
	}))
}

// Disallow asks about a tool in a channel again; false when that is so already.
func (g *Register) Disallow(ctx context.Context, k chat.Key, tool string) (bool, error) {
	var n int64
	err := g.db.Write(ctx, func(tx *engine.Tx) error {
		n = 0
		return tx.Count(&n, "DELETE FROM allowances WHERE platform = ? AND channel = ? AND tool = ?", k.Platform, k.Channel, tool)
	})
	return n > 0, engine.During("ask about a tool again", err)
}

// Allowed lists the tools that are not asked about in a channel, by name.
func (g *Register) Allowed(_ context.Context, k chat.Key) ([]string, error) {
	k.Thread = "" // belongs to its channel
	list, err := g.allowed.Get(k, func() ([]string, error) {
		rows, err := g.db.Query("SELECT tool FROM allowances WHERE platform = ? AND channel = ? ORDER BY tool", k.Platform, k.Channel)
		if err != nil {
			return nil, err
		}
		return engine.Collect(rows, engine.Name)
	})
	return slices.Clone(list), engine.During("list allowances", err)
}
