package welcome

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"parley/internal/chat"
)

// Between tries to register, doubling.
const (
	registerFirst = 5 * time.Second
	registerLast  = 10 * time.Minute
)

// Insist tries to register the commands until it is done: a bot that started during an
// outage must not stay without its menus.
func Insist(ctx context.Context, platform string, log *slog.Logger, register func() error) {
	for wait := registerFirst; ; wait = min(2*wait, registerLast) {
		err := register()
		if err == nil || ctx.Err() != nil {
			return
		}
		rest := wait
		var silence *chat.WaitError
		if errors.As(err, &silence) {
			rest = max(rest, silence.After)
		}
		log.Warn("register commands, will try again", "platform", platform, "in", rest, "err", err)
		t := time.NewTimer(rest)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return
		}
	}
}
