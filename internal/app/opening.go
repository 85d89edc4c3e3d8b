package app

import (
	"context"
	"log/slog"

	"parley/internal/chat"
)

// Opening is what it needs. All fields are required.
type Opening struct {
	Hub func() *chat.Hub
	// Opened makes ready what waited for m's author, and tells whether anything did;
	// memory.Store.Opened.
	Opened func(ctx context.Context, m chat.Message) (bool, error)
	Log    *slog.Logger
}

// Wrap looks at each message of a direct chat. It runs in the conversation's lane: the
// attempt that finds the chat closed may still be under way there, while a message
// that only reads is answered beside it.
func (o Opening) Wrap(next chat.Handler) chat.Handler {
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		if m.Direct {
			o.Hub().Do(m.Key, chat.Quick, func(ctx context.Context) { o.send(ctx, m) })
		}
		return next.Handle(ctx, m, w)
	})
}

func (o Opening) send(ctx context.Context, m chat.Message) {
	waited, err := o.Opened(ctx, m)
	if err != nil {
		o.Log.Error("answers that wait for a direct chat", "err", err)
	}
	if waited {
		o.Hub().Flush(m.Key)
	}
}
