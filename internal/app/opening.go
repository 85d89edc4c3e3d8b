package app

import (
	"context"

	"parley/internal/chat"
)

// opening sends what waited for somebody to open the direct chat, behind the
// answer to what they wrote there.
func (f *front) opening(next chat.Handler) chat.Handler {
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		if m.Direct {
			waited, err := f.store.Opened(ctx, m)
			if err != nil {
				f.log.Error("answers that wait for a direct chat", "err", err)
			}
			if waited {
				f.platforms.hub.Flush(m.Key)
			}
		}
		return next.Handle(ctx, m, w)
	})
}
