package app

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"parley/internal/chat"
	"parley/internal/text"
)

// titles stores the names of places and servers. It is safe for concurrent use.
type titles struct {
	set func(ctx context.Context, id, title string) error // access.Register.SetTitle
	log *slog.Logger

	mu   sync.Mutex        // guards seen
	seen map[string]string // stored titles, by id
}

const (
	longest = 80     // runes kept of a title
	most    = 10_000 // entries of seen before it is emptied
)

// noting stores the titles of messages on their way to next. A failure is logged and
// delays nothing.
func (ts *titles) noting(next chat.Handler) chat.Handler {
	pass := chat.FuncOf(next)
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		if err := ts.note(ctx, m); err != nil {
			ts.log.Warn("titles", "err", err)
		}
		return pass(ctx, m, w)
	})
}

// note stores the titles of m's place and server if they are new. A direct chat has none.
func (ts *titles) note(ctx context.Context, m chat.Message) error {
	if m.Direct {
		return nil
	}
	if m.Guild != "" {
		if err := ts.store(ctx, chat.ServerID(m.Key.Platform, m.Guild), m.GuildTitle); err != nil {
			return err
		}
		if m.Kind == chat.KindAdded { // the title of the server, not of a channel
			return nil
		}
	}
	return ts.store(ctx, chat.PlaceID(m.Key), m.Title)
}

func (ts *titles) store(ctx context.Context, id, title string) error {
	title, _ = text.Strip(strings.Join(strings.Fields(title), " "))
	ts.mu.Lock()
	known := ts.seen[id]
	ts.mu.Unlock()
	if title = text.Shorten(title, longest); title == "" || title == known {
		return nil
	}
	if err := ts.set(ctx, id, title); err != nil {
		return fmt.Errorf("note a title: %w", err)
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.seen == nil || len(ts.seen) >= most {
		ts.seen = map[string]string{}
	}
	ts.seen[id] = title
	return nil
}
