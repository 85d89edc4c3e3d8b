package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/memory/access"
	"parley/internal/memory/agenda"
	"parley/internal/memory/facts"
	"parley/internal/memory/usage"
)

// Move implements chat.Outbox.
func (s *Store) Move(ctx context.Context, mv chat.Move) error {
	return s.db.Write(ctx, func(tx *engine.Tx) error { return move(tx, mv) })
}

// moved lists the tables addressed by conversation. taken is the condition under which a
// row o at the new address conflicts with a row, which then stays where it is.
var moved = []struct{ table, taken string }{
	{"inbox", "o.message_id = inbox.message_id"},
	{"outbox", ""},
	{"sessions", "o.user_id = sessions.user_id AND o.agent = sessions.agent AND o.status IN ('active', 'idle', " +
		"'suspended') AND sessions.status IN ('active', 'idle', 'suspended')"},
	{"messages", ""},
	{"decisions", ""},
	{"participants", "o.user_id = participants.user_id"},
	{"reminders", ""},
	{"overheard", "o.day = overheard.day"},
	{"handoffs", "o.user_id = handoffs.user_id AND o.state IN ('waiting', 'taken') AND handoffs.state IN ('waiting', 'taken')"},
}

// movedWhole lists the tables with channels and no threads.
var movedWhole = []string{"tasks", "log_entries", "web_logins"}

// move re-addresses whole channels: a thread of the old channel becomes the
// same thread of the new one, unless only one thread is named.
func move(tx *engine.Tx, mv chat.Move) error {
	if mv.From.Thread == mv.To.Thread && mv.From.Thread != "" { // a message in a thread of a channel that moved told of it
		mv.From.Thread, mv.To.Thread = "", ""
	}
	args := engine.Named{"to": mv.To.Channel, "platform": mv.From.Platform, "from": mv.From.Channel, "thread": mv.From.Thread}
	for _, m := range moved {
		query := "UPDATE " + m.table + " SET channel = :to WHERE platform = :platform AND channel = :from AND (:thread = '' OR thread = :thread)"
		if m.taken != "" {
			query += " AND NOT EXISTS (SELECT 1 FROM " + m.table + " o WHERE o.platform = :platform AND o.channel = :to AND o.thread = " +
				m.table + ".thread AND " + m.taken + ")"
		}
		if _, err := tx.Exec(query, args); err != nil {
			return fmt.Errorf("move %s: %w", m.table, err)
		}
	}
	if _, err := tx.Exec("UPDATE handoffs SET desk_channel = ? WHERE desk_platform = ? AND desk_channel = ? AND (? = '' OR desk_thread = ?)",
		mv.To.Channel, mv.From.Platform, mv.From.Channel, mv.From.Thread, mv.From.Thread); err != nil {
		return during("move desk", err)
	}
	if err := moveWhole(tx, mv); err != nil {
		return err
	}
	if err := moveAccess(tx, mv); err != nil {
		return err
	}
	return agenda.Found(tx, mv.To) // who hears of a move is there
}

// movedSettings are JSON objects keyed by place, as settings name places.
var movedSettings = []string{"agents.bound"}

// moveSettings renames a channel and its threads in movedSettings.
func moveSettings(tx *engine.Tx, mv chat.Move) error {
	from, to := chat.PlaceID(mv.From), chat.PlaceID(mv.To)
	for _, name := range movedSettings {
		var stored string
		err := tx.QueryRow("SELECT value FROM settings WHERE name = ?", name).Scan(&stored)
		if errors.Is(err, engine.ErrNotFound) || err == nil && stored == "" {
			continue
		}
		all := map[string]json.RawMessage{}
		if err == nil {
			err = json.Unmarshal([]byte(stored), &all)
		}
		if err != nil {
			return during("move "+name, err)
		}
		for place, value := range maps.Clone(all) {
			if rest, ok := strings.CutPrefix(place, from); ok && (rest == "" || rest[0] == '/') {
				delete(all, place)
				all[to+rest] = value
			}
		}
		row, err := json.Marshal(all)
		if err == nil {
			_, err = tx.Exec("UPDATE settings SET value = ? WHERE name = ? AND value <> ?", string(row), name, string(row))
		}
		if err != nil {
			return during("move "+name, err)
		}
	}
	return nil
}

// moveWhole moves what was remembered in a channel, or about it, to its new
// address. A thread that moves alone leaves it behind.
func moveWhole(tx *engine.Tx, mv chat.Move) error {
	if mv.From.Thread != "" || mv.From.Channel == mv.To.Channel {
		return nil
	}
	if err := errors.Join(access.Rename(tx, mv), moveSettings(tx, mv)); err != nil {
		return err
	}
	for _, table := range movedWhole {
		_, err := tx.Exec("UPDATE "+table+" SET channel = ? WHERE platform = ? AND channel = ?", mv.To.Channel, mv.From.Platform, mv.From.Channel)
		if err != nil {
			return during("move "+table, err)
		}
	}
	_, err := tx.Exec(`INSERT INTO usage (day, platform, channel, user_id, purpose, model, calls, failed, prompt_tokens, cached_tokens, completion_tokens, cost)
		SELECT day, platform, ?, user_id, purpose, model, calls, failed, prompt_tokens, cached_tokens, completion_tokens, cost
		FROM usage WHERE platform = ? AND channel = ?`+usage.Adds, mv.To.Channel, mv.From.Platform, mv.From.Channel)
	if err == nil {
		_, err = tx.Exec("DELETE FROM usage WHERE platform = ? AND channel = ?", mv.From.Platform, mv.From.Channel)
	}
	if err != nil {
		return during("move usage", err)
	}
	return facts.Move(tx, mv)
}
