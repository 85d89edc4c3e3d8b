package discord

import (
	"context"
	"errors"
	"net/http"

	"github.com/bwmarrin/discordgo"

	"parley/internal/chat"
)

// errNotInServer: the channel is a direct chat or outside of servers.
var errNotInServer = errors.New("discord: not a channel of a server")

// Reads implements chat.MemberChecker, for channels of servers. Discord reports
// leaves and changed roles only with a privileged intent, so Reads looks them up,
// with three requests at most.
func (a *Adapter) Reads(ctx context.Context, k chat.Key, userID string) (bool, error) {
	_, person := chat.CutID(userID)
	var ch discordgo.Channel
	if err := a.call(ctx, http.MethodGet, "/channels/"+k.Channel, "", nil, &ch); err != nil {
		return false, err
	}
	if ch.GuildID == "" {
		return false, errNotInServer
	}
	var m discordgo.Member
	err := a.call(ctx, http.MethodGet, "/guilds/"+ch.GuildID+"/members/"+person, "", nil, &m)
	if code := codeOf(err); code == unknownMember || code == unknownUser {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var g discordgo.Guild
	if err := a.call(ctx, http.MethodGet, "/guilds/"+ch.GuildID, "", nil, &g); err != nil {
		return false, err
	}
	return reads(&g, &ch, &m, person), nil
}

// Codes of Discord for somebody who is not there.
const (
	unknownMember = 10007
	unknownUser   = 10013
)

// readable holds the permissions needed to read the history.
const readable = discordgo.PermissionViewChannel | discordgo.PermissionReadMessageHistory

// reads applies roles and overwrites in the order that Discord documents.
func reads(g *discordgo.Guild, ch *discordgo.Channel, m *discordgo.Member, person string) bool {
	if g.OwnerID == person {
		return true
	}
	has := map[string]bool{g.ID: true} // the role of everybody
	for _, id := range m.Roles {
		has[id] = true
	}
	var may int64
	for _, r := range g.Roles {
		if has[r.ID] {
			may |= r.Permissions
		}
	}
	if may&discordgo.PermissionAdministrator != 0 {
		return true
	}
	var allow, deny int64
	for _, o := range ch.PermissionOverwrites {
		switch {
		case o.ID == g.ID:
			may = may&^o.Deny | o.Allow
		case o.Type == discordgo.PermissionOverwriteTypeRole && has[o.ID]:
			allow, deny = allow|o.Allow, deny|o.Deny
		}
	}
	may = may&^deny | allow
	for _, o := range ch.PermissionOverwrites {
		if o.Type == discordgo.PermissionOverwriteTypeMember && o.ID == person {
			may = may&^o.Deny | o.Allow
		}
	}
	return may&readable == readable
}
