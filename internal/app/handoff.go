package app

import (
	"context"
	"time"

	"parley/config"
	"parley/internal/admin"
	"parley/internal/chat"
	"parley/internal/desk"
	"parley/internal/memory"
	"parley/internal/tools"
)

// newDesk joins the desk with the parts that it works on. The hub and the gate need
// not be there yet.
func newDesk(b *base, store *memory.Store, ps *platforms, people *people) *desk.Desk {
	where := func(ctx context.Context) (list []chat.Key, err error) {
		set := b.cfg.Handoff.Desk
		if set != config.Owners {
			if k, ok := chat.ParseKey(set); ok {
				list = append(list, k)
			}
			return list, nil
		}
		for _, owner := range b.inForce.Load().Access.Owners {
			if k, err := store.DirectChat(ctx, owner); err == nil && chat.On(ps.adapters, k.Platform) != nil {
				list = append(list, k)
			}
		}
		return list, nil
	}
	return desk.New(desk.Options{
		Store: store, Where: where, Now: b.now, Log: b.log,
		MayTake: func(ctx context.Context, m chat.Message) (bool, error) {
			places, err := where(ctx)
			if err != nil {
				return false, err
			}
			role, err := people.gate.Role(ctx, m)
			for _, k := range places {
				if k == m.Key && err == nil {
					return role >= map[string]admin.Role{"admins": admin.Admin, "owner": admin.Owner}[b.cfg.Handoff.Who], nil
				}
			}
			return false, err
		},
		Patience: func() time.Duration { return b.inForce.Load().Handoff.Patience },
		Platforms: desk.Platforms{
			Split: func(platform, said string) []string {
				if a := chat.On(ps.adapters, platform); a != nil {
					return a.Split(said)
				}
				return []string{said}
			},
			Flush: func(k chat.Key) { ps.hub.Flush(k) }, Open: ps.openFile,
		},
		Sessions: desk.Sessions{PerUser: b.cfg.Session.Scope == "user", TTL: func() time.Duration { return b.inForce.Load().Session.TTL }},
	})
}

// handOver is the tool that passes a conversation on; nil without a desk.
func (b *toolbox) handOver() []tools.Tool {
	if b.cfg.Handoff.Desk == "" {
		return nil
	}
	return []tools.Tool{tools.HandOverTool(func(ctx context.Context, c tools.Call) error { return b.desk.Possible(ctx, c.Where, c.Who.ID) })}
}
