package rehearse

import (
	"context"
	"fmt"
	"time"

	"parley/internal/chat"
)

// Board is a platform of a rehearsal: it posts what the bot sends.
type Board struct {
	Name   string
	Posted func(chat.Part) // gets each part; nil for nobody
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
		b.Posted(p)
	}
	return sentID(p), nil
}

// sentID returns the platform's id of a part.
func sentID(p chat.Part) string { return fmt.Sprintf("sent-%d", p.Row) }

// Whispers implements chat.Confidant: the script reads every answer.
func (b *Board) Whispers(chat.Message) bool { return true }

// DirectKey implements chat.Confidant.
func (b *Board) DirectKey(u chat.User) (chat.Key, bool) {
	k := chat.DirectKey(u.ID)
	return k, k.Platform == b.Name && k.Channel != ""
}

// Door implements chat.Confidant.
func (b *Board) Door() string { return "" }
