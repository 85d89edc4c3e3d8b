package memory

import (
	"context"
	"fmt"

	"parley/internal/chat"
	"parley/internal/sqlite"
)

// Move implements chat.Outbox.
func (s *Store) Move(ctx context.Context, mv chat.Move) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error { return move(tx, mv) })
}

// moved lists the tables that are addressed by conversation.
var moved = []string{"inbox", "outbox", "sessions", "messages", "decisions", "participants", "reminders", "overheard"}

// movedWhole lists those that know channels and no threads.
var movedWhole = []string{"key_facts", "tasks", "log_entries"}

// move re-addresses whole channels: a thread of the old channel becomes the
// same thread of the new one, unless only one thread is named.
func move(tx *sqlite.Tx, mv chat.Move) error {
	for _, table := range moved {
		_, err := tx.Exec("UPDATE OR IGNORE "+table+" SET channel = ? WHERE platform = ? AND channel = ? AND (? = '' OR thread = ?)",
			mv.To.Channel, mv.From.Platform, mv.From.Channel, mv.From.Thread, mv.From.Thread)
		if err != nil {
			return fmt.Errorf("move %s: %w", table, err)
		}
	}
	if err := moveMemory(tx, mv); err != nil {
		return err
	}
	return moveAccess(tx, mv)
}
