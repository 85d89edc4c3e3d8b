package telegram

import (
	"context"
	"errors"
	"sync"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"parley/internal/chat"
)

// atWork is the reaction to a message that is being answered: one of those that
// Telegram allows to bots.
const atWork = "👀"

// mostMarked is how many messages that carry the reaction are known; a reaction whose
// message is not known any more stays.
const mostMarked = 1000

// reactions knows which messages carry a reaction, and where none are allowed. Its
// zero value is ready.
type reactions struct {
	mu      sync.Mutex // guards the rest
	marked  map[string]bool
	refused map[int64]bool // chats
}

// mark notes that a message is about to carry the reaction; false where it does, or
// may not.
func (r *reactions) mark(to target, key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.marked == nil || len(r.marked) >= mostMarked {
		r.marked = map[string]bool{}
	}
	if r.refused[to.chat] || r.marked[key] {
		return false
	}
	r.marked[key] = true
	return true
}

// unmark forgets a message, and reports whether it carries the reaction.
func (r *reactions) unmark(key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	was := r.marked[key]
	delete(r.marked, key)
	return was
}

// refuse notes that a chat allows no reactions.
func (r *reactions) refuse(chat int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refused == nil {
		r.refused = map[int64]bool{}
	}
	r.refused[chat] = true
}

// notice puts the reaction on a message that is being answered, once.
func (a *Adapter) notice(ctx context.Context, m chat.Message, to target) {
	if !a.opts.Reactions || to.reply == 0 || m.Kind != chat.KindText && m.Kind != chat.KindCommand ||
		!a.reactions.mark(to, m.Key.String()+m.ID) {
		return
	}
	if err := a.react(ctx, to, []models.ReactionType{{Type: models.ReactionTypeTypeEmoji,
		ReactionTypeEmoji: &models.ReactionTypeEmoji{Type: models.ReactionTypeTypeEmoji, Emoji: atWork}}}); err != nil {
		a.reactions.unmark(m.Key.String() + m.ID)
		if errors.Is(err, bot.ErrorBadRequest) || errors.Is(err, bot.ErrorForbidden) {
			a.reactions.refuse(to.chat)
		}
	}
}

func (a *Adapter) react(ctx context.Context, to target, with []models.ReactionType) error {
	_, err := a.wire.call(ctx, "setMessageReaction", &bot.SetMessageReactionParams{ChatID: to.chat, MessageID: to.reply, Reaction: with})
	return err
}

// answered takes the reaction back from the message that a part answers. On one that
// needs no answer it stays.
func (a *Adapter) answered(ctx context.Context, p chat.Part) {
	if p.Index > 0 || p.ReplyTo == "" || !a.reactions.unmark(p.Key.String()+p.ReplyTo) {
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
