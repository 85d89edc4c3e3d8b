package app

import (
	"context"

	"parley/internal/admin"
	"parley/internal/chat"
	"parley/internal/memory"
)

// unwanted says why a due reminder is told to nobody; "" when it is told: its
// person is out of the place, has blocked the bot, or may not speak any more.
func (a *app) unwanted(ctx context.Context, r memory.Reminder) (string, error) {
	out, err := a.store.Absent(ctx, r.User.ID, r.Key)
	if err != nil {
		return "", err
	}
	if out {
		return "absent", nil
	}
	granted, err := a.store.Granted(ctx, r.User.ID)
	if err != nil || granted == "denied" {
		return granted, err
	}
	if r.Key.Platform == "discord" && !a.alone(r.Key) {
		return "", nil // a server may be let in as a whole, and which it is is not known here
	}
	// As in a direct chat, so that no platform is asked who administers what.
	role, err := a.front.gate.Role(ctx, chat.Message{Key: r.Key, From: r.User, Direct: true})
	if err == nil && role < admin.Member {
		return "revoked", nil
	}
	return "", err
}

// closed notes that nothing can be sent to a conversation: its person blocked
// the bot, or the bot is out of the place. What waits there ends.
func (a *app) closed(p chat.Part) {
	gone := chat.Presence{Key: p.Key, State: chat.Absent}
	if p.Await || a.alone(p.Key) {
		gone.User, gone.State = p.To, chat.Blocked
	}
	if err := a.store.Attend(context.Background(), gone); err != nil {
		a.log.Warn("a conversation is closed", "err", err)
	}
}
