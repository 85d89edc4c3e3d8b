package platform

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/config"
	"parley/internal/adapters/discord"
	"parley/internal/chat"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/tools/netguard"
)

// invitePermissions are View Channel, Send Messages, Attach Files, Read Message
// History and Send Messages in Threads.
const invitePermissions int64 = 1<<10 | 1<<11 | 1<<15 | 1<<16 | 1<<38

var discordPlatform = Platform{Identity: discord.Identity, Servers: true, Deletes: true, Hosted: &Hosted{
	Title: "Discord",
	Token: func(c *config.Config) *config.Secret { return &c.Discord.Token },
	Form:  text.Pattern(`^[\w-]{20,}\.[\w-]{5,}\.[\w-]{20,}$`),
	AskToken: catalog.Words(`3. Open https://discord.com/developers/applications, press New Application, then
   Bot, Reset Token. While you are there, tick Message Content Intent and save.
   The token (or skip):`),
	AskOwner: catalog.Words(`4. Who owns it? Enter: you, with a code that the start shows; or your numeric
   Discord id (Developer Mode on, right-click your name, Copy User ID) [with the
   code]:`),
	Invite: func(a Account) catalog.Phrase {
		return catalog.Fill("Discord: invite it with this link; choose your server, press Continue, then Authorize:\n  "+
			"https://discord.com/oauth2/authorize?client_id=%s&scope=bot+applications.commands&permissions=%d", a.ID, invitePermissions)
	},
	Account: askDiscord,
	Checks:  []Check{{catalog.Words("discord shards"), askShards}},
	Open:    openDiscord,
}}

func openDiscord(cfg config.Config, s Surroundings) (chat.Adapter, error) {
	c := cfg.Discord
	files, err := netguard.Only(discord.FileHosts, c.APIURL)
	if err != nil {
		return nil, fmt.Errorf("discord.api_url: %w", err)
	}
	o := discord.Options{
		Token: string(c.Token), APIURL: c.APIURL, Guild: c.Guild, Threads: c.Threads, Files: files, Log: s.Log,
		Shards: c.ShardCount(), Private: s.Private, Toast: s.Toast, Suggest: s.Suggest, Now: s.Now,
	}
	if s.Fleet != nil {
		o.Peers = s.Fleet
	}
	return discord.New(o)
}

// The flags of an application that may read messages: granted, or ticked by a bot in few
// servers.
const (
	flagMessageContent        = 1 << 18
	flagMessageContentLimited = 1 << 19
)

// askDiscord looks up the bot and checks whether it may read messages.
func askDiscord(ctx context.Context, c config.Config) (a Account, err error) {
	var me struct{ Username string }
	if a.Date, err = getDiscord(ctx, c, "users/@me", &me); err != nil {
		return a, explain(err, "Discord", "copy it again from the developer portal: your application, Bot, Reset Token")
	}
	a.Name = me.Username
	var app struct {
		ID    string
		Flags int
	}
	if _, err := getDiscord(ctx, c, "applications/@me", &app); err != nil {
		return a, explain(err, "Discord", "")
	}
	a.ID = app.ID
	if app.Flags&(flagMessageContent|flagMessageContentLimited) == 0 {
		a.Problem = text.Tell(
			"the bot may not read messages: in the developer portal, your application, Bot, Privileged Gateway Intents, tick " +
				"Message Content Intent and save")
	}
	return a, nil
}

// askShards compares discord.shards with what Discord recommends.
func askShards(ctx context.Context, c config.Config) (catalog.Phrase, error) {
	var got struct {
		Shards int
		Limit  struct {
			Remaining int
			Total     int
		} `json:"session_start_limit"`
	}
	if _, err := getDiscord(ctx, c, "gateway/bot", &got); err != nil {
		return nil, explain(err, "Discord", "")
	}
	if n := c.Discord.ShardCount(); n > 0 && got.Shards > 2*n {
		return nil, text.Tell("discord.shards is %d, and Discord recommends %d: set it to auto, or at least to that", n, got.Shards)
	}
	return catalog.Fill("Discord recommends %s; %d of %d sessions may still begin today",
		catalog.Count{N: got.Shards, Thing: "connection"}, got.Limit.Remaining, got.Limit.Total), nil
}

// getDiscord is get with the bot's token.
func getDiscord(ctx context.Context, c config.Config, path string, into any) (date time.Time, err error) {
	return get(ctx, strings.TrimRight(c.Discord.APIURL, "/")+"/"+path, "Bot "+string(c.Discord.Token), into)
}
