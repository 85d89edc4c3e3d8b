package discord

import (
	"context"
	"net/http"

	"github.com/bwmarrin/discordgo"
)

// manages holds the permissions that count as administering a server.
const manages = discordgo.PermissionAdministrator | discordgo.PermissionManageGuild

// authority names who administers a server: its owner, and members with one of roles.
type authority struct {
	asked bool // Discord has not answered yet; the rest is unknown
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

// forgetAuthority makes the next message ask Discord again because roles changed.
func (t *atlas) forgetAuthority(guild string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.guilds, guild)
}

// rule notes who administers a server. With instead, it does so only if that is still the
// current note.
func (t *atlas) rule(guild string, who, instead *authority) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if instead == nil || t.guilds[guild] == instead {
		t.guilds[guild] = who
	}
}

// ruler returns who administers a server. If that is unknown, it notes that Discord is
// being asked, and returns that note.
func (t *atlas) ruler(guild string) (who *authority, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if who = t.guilds[guild]; who != nil && !who.asked {
		return who, true
	}
	who = &authority{asked: true}
	t.guilds[guild] = who
	return who, false
}

// administers reports whether a message's author administers its server. Messages
// do not say so, unlike interactions; if no event has brought the roles, Discord
// is asked once. If it gives no answer, nobody administers the server.
func (a *Adapter) administers(ctx context.Context, m *wireMessage) bool {
	if m.GuildID == "" {
		return false
	}
	guild := string(m.GuildID)
	who, known := a.ruler(guild)
	if !known {
		ctx, cancel := context.WithTimeout(ctx, lookup)
		defer cancel()
		var g wireGuild
		err := a.call(ctx, http.MethodGet, "/guilds/"+guild, "", nil, &g)
		if err != nil && !refused(err) {
			return false // to be asked again
		}
		asking := who
		who = authorityOf(&g)
		a.rule(guild, who, asking) // unless something changed meanwhile: then the answer may be outdated
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
