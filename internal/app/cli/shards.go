package cli

import (
	"context"
	"strings"

	"parley/config"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// askShards compares discord.shards with what Discord recommends.
func askShards(ctx context.Context, c config.Discord) (catalog.Phrase, error) {
	var got struct {
		Shards int
		Limit  struct {
			Remaining int
			Total     int
		} `json:"session_start_limit"`
	}
	if _, err := get(ctx, strings.TrimRight(c.APIURL, "/")+"/gateway/bot", "Bot "+string(c.Token), &got); err != nil {
		return nil, mendToken(err, "Discord", "")
	}
	said := catalog.Fill("Discord recommends %s; %d of %d sessions may still begin today", catalog.Count{N: got.Shards, Thing: "connection"}, got.Limit.Remaining, got.Limit.Total)
	if n := c.ShardCount(); n > 0 && got.Shards > 2*n {
		return nil, text.Tell("discord.shards is %d, and Discord recommends %d: set it to auto, or at least to that", n, got.Shards)
	}
	return said, nil
}
