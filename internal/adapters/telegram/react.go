package telegram

import (
	"context"
	"errors"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"parley/internal/chat"
)

// atWork is the reaction to a message that is being answered; bots may use only some.
const atWork = "👀"

// maxMarked is how many messages that carry the reaction are remembered; on older ones it
// stays.
const maxMarked = 1000

// notice puts the reaction on a message that is being answered, once.
func (a *Adapter) notice(ctx context.Context, m chat.Message, to target) {
	if !a.opts.Reactions || to.reply == 0 || m.Kind != chat.KindText && m.Kind != chat.KindCommand {
		return
	}
	if _, refused := a.unmarked.Get(to.chat); refused || !a.marked.Put(m.Key.String()+m.ID, true) {
		return
	}
	if err := a.react(ctx, to, []models.ReactionType{{Type: models.ReactionTypeTypeEmoji,
		ReactionTypeEmoji: &models.ReactionTypeEmoji{Type: models.ReactionTypeTypeEmoji, Emoji: atWork}}}); err != nil {
		a.marked.Drop(m.Key.String() + m.ID)
		if errors.Is(err, bot.ErrorBadRequest) || errors.Is(err, bot.ErrorForbidden) {
			a.unmarked.Put(to.chat, true)
		}
	}
}

func (a *Adapter) react(ctx context.Context, to target, with []models.ReactionType) error {
	_, err := a.wire.call(ctx, "setMessageReaction", &bot.SetMessageReactionParams{ChatID: to.chat, MessageID: to.reply, Reaction: with})
	return err
}

// answered removes the reaction from the message that a part answers. Without an answer it
// stays.
func (a *Adapter) answered(ctx context.Context, p chat.Part) {
	if p.Index > 0 || p.ReplyTo == "" || !a.marked.Drop(p.Key.String()+p.ReplyTo) {
		return
	}
	to, err := targetOf(p.Key, p.ReplyTo)
	if err == nil {
		err = a.react(ctx, to, nil)
	}
	if err != nil {
		a.log.Debug("telegram: a reaction stays", "error", err)
	}
}
