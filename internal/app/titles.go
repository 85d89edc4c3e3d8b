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

// Titles notes titles. It is safe for many goroutines.
type Titles struct {
	// Set stores what a place is called; access.Register.SetTitle is the real one.
	Set func(ctx context.Context, id, title string) error
	Log *slog.Logger

	mu   sync.Mutex        // guards seen
	seen map[string]string // titles that are stored, by id
}

const (
	longest = 80     // runes of a title that is kept
	most    = 10_000 // titles that are known to be stored
)

// Noting notes the titles of messages on their way to next. One that cannot be stored
// is logged and keeps nothing up.
func (b *Titles) Noting(next chat.Handler) chat.Handler {
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		if err := b.note(ctx, m); err != nil {
			b.Log.Warn("titles", "err", err)
		}
		return next.Handle(ctx, m, w)
	})
}

// note stores the titles of m's place and its server where they are not stored yet. A
// direct chat has none.
func (b *Titles) note(ctx context.Context, m chat.Message) error {
	if m.Direct {
		return nil
	}
	if m.Guild != "" {
		if err := b.store(ctx, chat.ServerID(m.Key.Platform, m.Guild), m.GuildTitle); err != nil {
			return err
		}
		if m.Kind == chat.KindAdded { // to a server: its title is no channel's
			return nil
		}
	}
	return b.store(ctx, chat.PlaceID(m.Key), m.Title)
}

func (b *Titles) store(ctx context.Context, id, title string) error {
	title, _ = text.Strip(strings.Join(strings.Fields(title), " "))
	if title = text.Shorten(title, longest); title == "" || b.known(id, title) {
		return nil
	}
	if err := b.Set(ctx, id, title); err != nil {
		return fmt.Errorf("note a title: %w", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.seen == nil || len(b.seen) >= most {
		b.seen = map[string]string{}
	}
	b.seen[id] = title
	return nil
}

func (b *Titles) known(id, title string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.seen[id] == title
}
