package app

import (
	"context"

	"parley/internal/chat"
	"parley/internal/command/gate"
)

// absent is why nothing is sent to somebody who left a place or blocked the bot.
const absent = "absent"

// unwanted explains why nothing is sent to somebody unasked: they left the place, blocked
// the bot, or may not write any more. "" means that it is sent.
func (c *chores) unwanted(ctx context.Context, who chat.User, k chat.Key) (string, error) {
	out, err := c.store.Access.Absent(ctx, who.ID, k)
	if err != nil {
		return "", err
	}
	if out {
		return absent, nil
	}
	granted, err := c.store.Access.Granted(ctx, who.ID)
	if err != nil || granted == "denied" {
		return granted, err
	}
	if k.Platform == "discord" && !c.platforms.alone(k) {
		return "", nil // a server may be let in as a whole, and which it is is not known here
	}
	// As in a direct chat, so that no platform is asked who administers what.
	role, err := c.people.gate.Role(ctx, chat.Message{Key: k, From: who, Direct: true})
	if err == nil && role < gate.Member {
		return "revoked", nil
	}
	return "", err
}
