package discord

import (
	"context"
	"net/http"

	"github.com/bwmarrin/discordgo"
)

// manages are the permissions that count as administering a server.
const manages = discordgo.PermissionAdministrator | discordgo.PermissionManageGuild

// authority is who administers a server: its owner, and who has one of roles.
type authority struct {
	asked bool // Discord has not answered yet; nothing else is known
	owner string
	roles map[string]bool
}

func authorityOf(g *wireGuild) *authority {
	who := &authority{roles: map[string]bool{}}
	if isID(g.OwnerID) {
		who.owner = string(g.OwnerID)
	}
	for _, r := range g.Roles {
		if isID(r.ID) {
			who.roles[string(r.ID)] = r.Permissions&manages != 0
		}
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
func (a *Adapter) administers(ctx context.Context, m *wireMessage) bool {
	if m.GuildID == "" {
		return false
	}
	guild := string(m.GuildID)
	a.mu.Lock()
	who := a.guilds[guild]
	unknown := who == nil || who.asked
	mine := &authority{asked: true}
	if unknown {
		a.guilds[guild] = mine
	}
	a.mu.Unlock()
	if unknown {
		ctx, cancel := context.WithTimeout(ctx, lookup)
		defer cancel()
		var g wireGuild
		err := a.call(ctx, http.MethodGet, "/guilds/"+guild, "", nil, &g)
		if err != nil && !refused(err) {
			return false // to be asked again
		}
		who = authorityOf(&g)
		a.mu.Lock()
		if a.guilds[guild] == mine { // else something changed meanwhile, and the answer may be of before
			a.guilds[guild] = who
		}
		a.mu.Unlock()
	}
	if who.owner == string(m.Author.ID) || who.roles[guild] { // the role of everybody has the server's id
		return true
	}
	if m.Member != nil {
		for _, r := range m.Member.Roles {
			if who.roles[string(r)] {
				return true
			}
		}
	}
	return false
}
