package app

import (
	"context"

	"parley/internal/chat"
)

// opening sends what waited for somebody to open the direct chat, after the answer to
// what they wrote there. It runs in the conversation's lane: the attempt that finds
// the chat closed may still be under way there, while a message that only reads is
// answered beside it.
func (f *front) opening(next chat.Handler) chat.Handler {
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		if m.Direct {
			f.platforms.hub.Do(m.Key, chat.Quick, func(ctx context.Context) { f.opened(ctx, m) })
		}
		return next.Handle(ctx, m, w)
	})
}

func (f *front) opened(ctx context.Context, m chat.Message) {
	waited, err := f.store.Opened(ctx, m)
	if err != nil {
		f.log.Error("answers that wait for a direct chat", "err", err)
	}
	if waited {
		f.platforms.hub.Flush(m.Key)
	}
}
