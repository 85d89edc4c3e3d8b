package discord

import (
	"testing"

	"github.com/bwmarrin/discordgo"

	"parley/internal/chat"
)

// TestReads: roles and overwrites decide who reads a channel, and whoever is no
// member does not.
func TestReads(t *testing.T) {
	const all = readable
	g := &discordgo.Guild{ID: "1", OwnerID: "9", Roles: []*discordgo.Role{{ID: "1", Permissions: all}, {ID: "2"},
		{ID: "3", Permissions: discordgo.PermissionAdministrator}}}
	role, person := discordgo.PermissionOverwriteTypeRole, discordgo.PermissionOverwriteTypeMember
	shut := &discordgo.PermissionOverwrite{ID: "1", Type: role, Deny: discordgo.PermissionViewChannel}
	for name, tt := range map[string]struct {
		roles []string
		who   string
		over  []*discordgo.PermissionOverwrite
		want  bool
	}{
		"an open channel":    {nil, "5", nil, true},
		"shut to everybody":  {nil, "5", []*discordgo.PermissionOverwrite{shut}, false},
		"open to a role":     {[]string{"2"}, "5", []*discordgo.PermissionOverwrite{shut, {ID: "2", Type: role, Allow: all}}, true},
		"the role was taken": {nil, "5", []*discordgo.PermissionOverwrite{shut, {ID: "2", Type: role, Allow: all}}, false},
		"open to one person": {nil, "5", []*discordgo.PermissionOverwrite{shut, {ID: "5", Type: person, Allow: all}}, true},
		"shut to one person": {nil, "5", []*discordgo.PermissionOverwrite{{ID: "5", Type: person,
			Deny: discordgo.PermissionViewChannel}}, false},
		"no history": {nil, "5", []*discordgo.PermissionOverwrite{{ID: "1", Type: role,
			Deny: discordgo.PermissionReadMessageHistory}}, false},
		"an administrator":      {[]string{"3"}, "5", []*discordgo.PermissionOverwrite{shut}, true},
		"the owner of a server": {nil, "9", []*discordgo.PermissionOverwrite{shut}, true},
	} {
		if got := reads(g, &discordgo.Channel{PermissionOverwrites: tt.over}, &discordgo.Member{Roles: tt.roles}, tt.who); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestReadsAsksDiscord: who left a server reads nothing in it, and what cannot be
// found out is an error and no answer.
func TestReadsAsksDiscord(t *testing.T) {
	s := fake(t)
	a, _ := connected(t, newIntake(), s)
	s.Guild("77", "1", map[string]int64{"77": readable})
	k := chat.Key{Platform: Platform, Channel: "50"}
	if in, err := a.Reads(t.Context(), k, "discord:42"); !in || err != nil {
		t.Errorf("a member: %v, %v", in, err)
	}
	s.Left("77", "42")
	if in, err := a.Reads(t.Context(), k, "discord:42"); in || err != nil {
		t.Errorf("who left: %v, %v", in, err)
	}
	s.Gone("50", 50001)
	if in, err := a.Reads(t.Context(), k, "discord:43"); in || err == nil {
		t.Errorf("where we are out ourselves: %v, %v", in, err)
	}
}
