package discord

import (
	"context"
	"errors"
	"net/http"

	"github.com/bwmarrin/discordgo"

	"parley/internal/chat"
)

var (
	_ chat.Amender    = (*Adapter)(nil)
	_ chat.Withdrawer = (*Adapter)(nil)
)

// Withdraw implements chat.Withdrawer.
func (a *Adapter) Withdraw(ctx context.Context, k chat.Key, id string) error {
	return a.remove(ctx, k, id)
}

// remove deletes a preview. It can be repeated; what Discord refuses to delete stays.
func (a *Adapter) remove(ctx context.Context, k chat.Key, preview string) error {
	if preview == original {
		return nil // it belongs to a command, and goes with that
	}
	channel := channelOf(k)
	err := a.call(ctx, http.MethodDelete, "/channels/"+channel+"/messages/"+preview, channel, nil, nil)
	if errors.As(err, new(*restError)) {
		return nil
	}
	return repeatable(err)
}

// Amend implements chat.Amender.
func (a *Adapter) Amend(ctx context.Context, k chat.Key, id, text string) error {
	if err := a.connected(ctx, patience); err != nil {
		return err
	}
	channel, err := a.channelFor(ctx, k)
	if err != nil {
		return err
	}
	pieces := a.Split(text)
	if len(pieces) == 0 {
		return nil
	}
	body := map[string]any{"content": pieces[0], "components": []component{}, "allowed_mentions": allowed{Parse: []string{}}}
	return a.call(ctx, http.MethodPatch, "/channels/"+channel+"/messages/"+id, channel, body, nil)
}

// pressing acknowledges a button: silently if the press does something, otherwise
// with a notice that only the person who pressed it sees.
func (a *Adapter) pressing(ctx context.Context, i *wireInteraction, why string) {
	if why == "" {
		a.respond(ctx, i, response{Type: discordgo.InteractionResponseDeferredMessageUpdate})
		return
	}
	a.respond(ctx, i, response{Type: discordgo.InteractionResponseChannelMessageWithSource,
		Data: map[string]any{"content": why, "flags": ephemeral, "allowed_mentions": allowed{Parse: []string{}}}})
}

// refusal returns why a press does nothing, "" when it does something.
func (a *Adapter) refusal(m *chat.Message) string {
	if a.o.Toast == nil || m.Key.Channel == "" { // where it was pressed is not known yet
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	why, refused := a.o.Toast(ctx, *m)
	if !refused {
		return ""
	}
	m.Told = why != ""
	return why
}
