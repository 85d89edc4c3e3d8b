package discord

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"
)

// manages are the permissions that count as administering a server.
const manages = discordgo.PermissionAdministrator | discordgo.PermissionManageGuild

// authority is who administers a server: its owner, and who has one of roles.
type authority struct {
	owner string
	roles map[string]bool
}

func authorityOf(g *discordgo.Guild) authority {
	who := authority{owner: g.OwnerID, roles: map[string]bool{}}
	for _, r := range g.Roles {
		who.roles[r.ID] = r.Permissions&manages != 0
	}
	return who
}

// forgetAuthority makes the next message ask Discord: roles have changed.
func (a *Adapter) forgetAuthority(guild string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.guilds, guild)
}

// administers tells whether a message's author administers its server. Messages
// do not say so, unlike interactions; where the events have not told of the
// roles, Discord is asked once. Whoever it cannot be told of does not.
func (a *Adapter) administers(m *discordgo.Message) bool {
	if m.GuildID == "" {
		return false
	}
	a.mu.Lock()
	who, known := a.guilds[m.GuildID]
	a.mu.Unlock()
	if !known {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		var g discordgo.Guild
		err := a.call(ctx, http.MethodGet, "/guilds/"+m.GuildID, "", nil, &g)
		var no *restError
		if err != nil && !errors.As(err, &no) {
			return false // to be asked again
		}
		who = authorityOf(&g)
		a.mu.Lock()
		a.guilds[m.GuildID] = who
		a.mu.Unlock()
	}
	if who.owner == m.Author.ID || who.roles[m.GuildID] { // the role of everybody has the server's id
		return true
	}
	if m.Member != nil {
		for _, r := range m.Member.Roles {
			if who.roles[r] {
				return true
			}
		}
	}
	return false
}
