package app

import (
	"context"
	"time"

	"parley/internal/agent/handover"
	"parley/internal/app/console"
	"parley/internal/chat"
	"parley/internal/command/gate"
)

// newDesk makes the desk. It needs the hub and the gate only later.
func newDesk(b *base, ps *platforms, people *people) *handover.Desk {
	return handover.New(handover.Options{
		Store: b.store, Now: b.now, Log: b.log,
		Place: handover.Place{Where: b.cfg.Handoff.Desk, Owners: func() []string { return b.inForce.Load().Access.Owners },
			Window: console.Here(),
			Runs:   func(platform string) bool { return chat.On(ps.adapters, platform) != nil },
			May: func(ctx context.Context, m chat.Message) (bool, error) {
				role, err := people.gate.Role(ctx, m)
				return role >= map[string]gate.Role{"admins": gate.Admin, "owner": gate.Owner}[b.cfg.Handoff.Who], err
			}},
		Patience: func() time.Duration { return b.inForce.Load().Handoff.Patience },
		Platforms: handover.Platforms{
			Split: func(platform, said string) []string {
				if a := chat.On(ps.adapters, platform); a != nil {
					return a.Split(said)
				}
				return []string{said}
			},
			Flush: func(k chat.Key) { ps.hub.Flush(k) }, Open: ps.openFile,
		},
		Speak:    people.speaker.To,
		Sessions: handover.Sessions{PerUser: b.cfg.Session.Scope == "user", TTL: func() time.Duration { return b.inForce.Load().Session.TTL }},
	})
}
