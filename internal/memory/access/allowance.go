package access

import (
	"context"
	"slices"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// Allow stops asking about a tool in a channel; by is whoever decided.
func (g *Register) Allow(ctx context.Context, k chat.Key, tool, by string) error {
	return engine.During("allow a tool", g.db.Exec(ctx, "INSERT INTO allowances VALUES (?, ?, ?, ?, ?) ON CONFLICT (platform, "+
		"channel, tool) DO UPDATE SET by_id = excluded.by_id, at = excluded.at", k.Platform, k.Channel, tool, by, engine.Stamp(g.now())))
}

// Disallow asks about a tool in a channel again; false when it was asked about anyway.
func (g *Register) Disallow(ctx context.Context, k chat.Key, tool string) (bool, error) {
	n, err := g.db.Count(ctx, "DELETE FROM allowances WHERE platform = ? AND channel = ? AND tool = ?", k.Platform, k.Channel, tool)
	return n > 0, engine.During("ask about a tool again", err)
}

// Allowed lists the tools that are not asked about in a channel, by name.
func (g *Register) Allowed(_ context.Context, k chat.Key) ([]string, error) {
	k.Thread = "" // belongs to its channel
	list, err := g.allowed.Get(k, func() ([]string, error) {
		return engine.Select(g.db, engine.Value[string], "SELECT tool FROM allowances WHERE platform = ? AND channel = ? ORDER BY tool",
			k.Platform, k.Channel)
	})
	return slices.Clone(list), engine.During("list allowances", err)
}
