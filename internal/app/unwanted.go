package app

import (
	"context"

	"parley/internal/admin"
	"parley/internal/agenda"
	"parley/internal/chat"
)

// unwanted explains why a due reminder is not sent: its person left the place, blocked
// the bot, or may not write any more. "" means that it is sent.
func (c *chores) unwanted(ctx context.Context, r agenda.Reminder) (string, error) {
	out, err := c.store.Absent(ctx, r.User.ID, r.Key)
	if err != nil {
		return "", err
	}
	if out {
		return "absent", nil
	}
	granted, err := c.store.Granted(ctx, r.User.ID)
	if err != nil || granted == "denied" {
		return granted, err
	}
	if r.Key.Platform == "discord" && !c.platforms.alone(r.Key) {
		return "", nil // a server may be let in as a whole, and which it is is not known here
	}
	// As in a direct chat, so that no platform is asked who administers what.
	role, err := c.people.gate.Role(ctx, chat.Message{Key: r.Key, From: r.User, Direct: true})
	if err == nil && role < admin.Member {
		return "revoked", nil
	}
	return "", err
}
