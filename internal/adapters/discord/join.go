package discord

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"

	"parley/internal/chat"
)

// newcomer is how long joining a server stays news: Discord describes each server again
// after every outage.
const newcomer = 10 * time.Minute

// greet reports that the bot was just added to a server, in the channel where Discord
// welcomes people. Discord does not say by whom. The journal drops duplicates.
func (sh *shard) greet(ctx context.Context, g *wireGuild, sequence int64) {
	joined, err := time.Parse(time.RFC3339, g.JoinedAt.shown())
	channel := lobby(g)
	if err != nil || channel == "" || sh.now().Sub(joined) > newcomer {
		return
	}
	sh.enter(ctx, channel, event{kind: "GUILD_CREATE", ticket: sh.progress.begin(sequence), made: &chat.Message{
		ID: "joined-" + joined.UTC().Format("20060102T150405"), Kind: chat.KindAdded, Guild: string(g.ID), Title: g.Name.shown(),
		GuildTitle: g.Name.shown(), At: joined,
	}})
}

// lobby returns the channel for newcomers: the one that the server chose, or its first;
// "" for none.
func lobby(g *wireGuild) string {
	first := ""
	for _, ch := range g.Channels {
		if !isID(ch.ID) || discordgo.ChannelType(ch.Type) != discordgo.ChannelTypeGuildText {
			continue
		}
		if ch.ID == g.Lobby {
			return string(ch.ID)
		}
		if first == "" {
			first = string(ch.ID)
		}
	}
	return first
}

// errNoServer: only servers can be left.
var errNoServer = errors.New("not a server")

// Leave implements chat.Leaver.
func (a *Adapter) Leave(ctx context.Context, place string) error {
	kind, id := chat.CutID(place)
	if kind != "guild" || !isID(plain(id)) {
		return errNoServer
	}
	return a.call(ctx, http.MethodDelete, "/users/@me/guilds/"+id, "", nil, nil)
}
