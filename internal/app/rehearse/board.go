package rehearse

import (
	"context"
	"fmt"
	"time"

	"parley/internal/chat"
)

// Board is a platform of a rehearsal: it keeps what is sent to it.
type Board struct {
	Name   string
	Posted func(text string) // hears what is sent; nil for nobody
}

// Platform implements chat.Adapter.
func (b *Board) Platform() string { return b.Name }

// Run implements chat.Adapter; the stage delivers by itself.
func (b *Board) Run(context.Context, chat.Intake) error { return nil }

// Health implements chat.Adapter.
func (b *Board) Health() error { return nil }

// Split implements chat.Outlet: a script has answers whole.
func (b *Board) Split(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// Typing implements chat.Outlet.
func (b *Board) Typing(context.Context, chat.Message) error { return nil }

// Preview implements chat.Outlet; nobody watches.
func (b *Board) Preview(context.Context, chat.Message, string, string) (string, time.Duration, error) {
	return "", time.Hour, nil
}

// Send implements chat.Outlet.
func (b *Board) Send(_ context.Context, p chat.Part) (string, error) {
	if b.Posted != nil {
		b.Posted(p.Text)
	}
	return fmt.Sprintf("sent-%d", p.Row), nil
}

// Whispers implements chat.Confidant: the script reads every answer.
func (b *Board) Whispers(chat.Message) bool { return true }

// DirectKey implements chat.Confidant; nothing is ever sent elsewhere.
func (b *Board) DirectKey(chat.User) (chat.Key, bool) { return chat.Key{}, false }

// Door implements chat.Confidant.
func (b *Board) Door() string { return "" }
