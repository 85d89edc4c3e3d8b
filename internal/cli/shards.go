package cli

import (
	"context"
	"fmt"
	"strings"

	"parley/config"
	"parley/internal/text"
)

// askShards compares discord.shards with what Discord recommends.
func askShards(ctx context.Context, c config.Discord) (string, error) {
	var got struct {
		Shards int
		Limit  struct {
			Remaining int
			Total     int
		} `json:"session_start_limit"`
	}
	if _, err := get(ctx, strings.TrimRight(c.APIURL, "/")+"/gateway/bot", "Bot "+string(c.Token), &got); err != nil {
		return "", mendToken(err, "Discord", "")
	}
	said := fmt.Sprintf("Discord recommends %s; %d of %d sessions may still begin today", text.Many(got.Shards, "connection"), got.Limit.Remaining, got.Limit.Total)
	if n := c.ShardCount(); n > 0 && got.Shards > 2*n {
		return "", text.Tell("discord.shards is %d, and Discord recommends %d: set it to auto, or at least to that", n, got.Shards)
	}
	return said, nil
}
