package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mattn/go-sqlite3"

	"parley/internal/chat"
)

// The Store is the Hub's journal.
var (
	_ chat.Inbox  = (*Store)(nil)
	_ chat.Outbox = (*Store)(nil)
)

// Accept implements chat.Inbox.
func (s *Store) Accept(ctx context.Context, b chat.Batch) ([]chat.Message, error) {
	bodies := make([]string, len(b.Messages))
	for i, m := range b.Messages {
		if m.Key.Platform == "" || m.Key.Channel == "" || m.ID == "" || (m.From.ID == "" && m.Kind != chat.KindSkipped) {
			return nil, fmt.Errorf("accept: a message without %s", missing(m))
		}
		body, err := json.Marshal(m)
		if err != nil {
			return nil, fmt.Errorf("accept: %w", err)
		}
		bodies[i] = string(body)
	}
	var fresh []chat.Message
	now := Stamp(s.now())
	err := s.write(ctx, func(tx *Tx) error {
		fresh = fresh[:0]
		for _, mv := range b.Moved {
			if err := move(tx, mv); err != nil {
				return err
			}
		}
		for i, m := range b.Messages {
			row, err := accept(tx, m, bodies[i], now)
			if err != nil {
				return err
			}
			if row != 0 {
				m.Row = row
				fresh = append(fresh, m)
			}
		}
		for name, value := range b.Cursors {
			if _, err := tx.Exec("INSERT INTO cursors VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", b.Platform, name, value); err != nil {
				return err
			}
		}
		return nil
	})
	return fresh, err
}

// missing names the identity a message lacks; without it the message could
// end up in somebody else's conversation (promises.md C16).
func missing(m chat.Message) string {
	switch {
	case m.Key.Platform == "" || m.Key.Channel == "":
		return "a conversation"
	case m.ID == "":
		return "an id"
	}
	return "an author"
}

// accept stores one message; 0 means it is known already.
func accept(tx *Tx, m chat.Message, body, now string) (int64, error) {
	state := "new"
	if m.Kind == chat.KindSkipped {
		state = "dead"
	}
	res, err := tx.Exec("INSERT INTO inbox (platform, channel, thread, message_id, state, body, at) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		m.Key.Platform, m.Key.Channel, m.Key.Thread, m.ID, state, body, now)
	if err != nil {
		return 0, err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return 0, err
	}
	return res.LastInsertId()
}

// Record is what a Handler may ask to be stored together with the end of its
// message. It runs inside the finishing transaction, at most once with effect.
type Record interface {
	store(tx *Tx, s *Store, m chat.Message) error
}

// Finish implements chat.Inbox. record is a Record of this package, or nil.
func (s *Store) Finish(ctx context.Context, m chat.Message, parts []chat.Part, record any) error {
	bodies, err := encode(parts)
	if err != nil {
		return fmt.Errorf("finish: %w", err)
	}
	return s.write(ctx, func(tx *Tx) error {
		var preview string // the first part replaces it
		err := tx.QueryRow("SELECT preview FROM inbox WHERE id = ? AND state = 'new'", m.Row).Scan(&preview)
		if errors.Is(err, sql.ErrNoRows) {
			return nil // finished before
		}
		if err != nil {
			return err
		}
		for _, row := range append([]int64{m.Row}, m.With...) {
			if _, err := tx.Exec("UPDATE inbox SET state = 'done', body = '' WHERE id = ?", row); err != nil {
				return err
			}
		}
		if _, err := tx.Exec("DELETE FROM steps WHERE inbox_id = ?", m.Row); err != nil {
			return err
		}
		for i := range parts {
			parts[i].Started, parts[i].Preview = i == 0, preview // the lane sends the first next
			preview = ""
			if err := s.insertPart(tx, m.Row, &parts[i], bodies[i]); err != nil {
				return err
			}
		}
		if r, ok := record.(Record); ok {
			return broken(r.store(tx, s, m))
		}
		return s.insertDecision(tx, m, Decision{Category: category(m, parts)}, nil)
	})
}

// broken tells what breaks a rule of the schema from what a full disk does.
func broken(err error) error {
	var se sqlite3.Error
	if errors.As(err, &se) && se.Code == sqlite3.ErrConstraint {
		return fmt.Errorf("%w: %v", chat.ErrRecord, err)
	}
	return err
}

// category names what happened to a message whose handler kept no record.
func category(m chat.Message, parts []chat.Part) string {
	switch {
	case m.Kind == chat.KindCommand:
		return CategoryCommand
	case len(parts) == 0:
		return CategoryIgnored
	}
	return CategoryError
}

func encode(parts []chat.Part) ([]string, error) {
	bodies := make([]string, len(parts))
	for i, p := range parts {
		b, err := json.Marshal(p)
		if err != nil {
			return nil, err
		}
		bodies[i] = string(b)
	}
	return bodies, nil
}

// insertPart stores one part of the answer to an inbox row and fills in what
// the row says. (RETURNING would cost a table of its own for every part.)
func (s *Store) insertPart(tx *Tx, inbox int64, p *chat.Part, body string) error {
	state, at := chat.PartReady, s.now()
	if p.Started {
		state = chat.PartStarted
	}
	p.Nonce, p.At = chat.AnswerNonce(inbox, p.Index), at
	res, err := tx.Exec(`INSERT INTO outbox (inbox_id, part, kind, platform, channel, thread, body, nonce, state, at, preview)
		VALUES (?, ?, 'answer', ?, ?, ?, ?, ?, ?, ?, ?)`,
		inbox, p.Index, p.Key.Platform, p.Key.Channel, p.Key.Thread, body, p.Nonce, string(state), Stamp(at), p.Preview)
	if err != nil {
		return err
	}
	p.Row, err = res.LastInsertId()
	return err
}

// Notify stores parts that nobody asked for just now, such as a reminder.
// what names it: a second call with the same name stores nothing, so it is
// said once however often its cause comes up. The caller flushes the lane.
func (s *Store) Notify(ctx context.Context, what string, parts []chat.Part) error {
	bodies, err := encode(parts)
	if err != nil {
		return fmt.Errorf("notify: %w", err)
	}
	return s.write(ctx, func(tx *Tx) error { return s.notify(tx, what, parts, bodies) })
}

func (s *Store) notify(tx *Tx, what string, parts []chat.Part, bodies []string) error {
	for i, p := range parts {
		_, err := tx.Exec(`INSERT INTO outbox (part, kind, platform, channel, thread, body, nonce, at)
			VALUES (?, 'notice', ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			p.Index, p.Key.Platform, p.Key.Channel, p.Key.Thread, bodies[i], chat.Nonce(what, p.Index), Stamp(s.now()))
		if err != nil {
			return err
		}
	}
	return nil
}

// Recover implements chat.Inbox. Only the head of a lane can have been running
// when the process died, so only heads are counted.
func (s *Store) Recover(ctx context.Context) ([]chat.Message, []chat.Key, error) {
	err := s.write(ctx, func(tx *Tx) error {
		if _, err := tx.Exec("UPDATE outbox SET state = 'ready', unknown = unknown + 1 WHERE state = 'started'"); err != nil {
			return err
		}
		if _, err := tx.Exec("UPDATE tool_calls SET status = 'error', result = 'interrupted' WHERE status IN ('pending', 'running', 'retrying')"); err != nil {
			return err
		}
		_, err := tx.Exec("UPDATE inbox SET attempt = attempt + 1 WHERE id IN (SELECT min(id) FROM inbox WHERE state = 'new' GROUP BY platform, channel, thread)")
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	messages, err := s.unfinished()
	if err != nil {
		return nil, nil, err
	}
	keys, err := s.unsent()
	return messages, keys, err
}

func (s *Store) unfinished() ([]chat.Message, error) {
	rows, err := s.query("SELECT id, platform, channel, thread, body, attempt, preview FROM inbox WHERE state = 'new' ORDER BY id")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var messages []chat.Message
	for rows.Next() {
		var (
			m             chat.Message
			k             chat.Key // the row's: the body's is from before a move
			row           int64
			body, preview string
			attempt       int
		)
		if err := rows.Scan(&row, &k.Platform, &k.Channel, &k.Thread, &body, &attempt, &preview); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(body), &m); err != nil {
			return nil, fmt.Errorf("inbox row %d: %w", row, err)
		}
		m.Row, m.Key, m.Preview, m.Attempt = row, k, preview, attempt
		messages = append(messages, m)
	}
	return messages, rows.Err()
}

func (s *Store) unsent() ([]chat.Key, error) {
	rows, err := s.query("SELECT DISTINCT platform, channel, thread FROM outbox WHERE state IN ('ready', 'started')")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var keys []chat.Key
	for rows.Next() {
		var k chat.Key
		if err := rows.Scan(&k.Platform, &k.Channel, &k.Thread); err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	return keys, rows.Err()
}

// Cursors implements chat.Inbox.
func (s *Store) Cursors(_ context.Context, platform string) (map[string]string, error) {
	rows, err := s.query("SELECT name, value FROM cursors WHERE platform = ?", platform)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	cursors := map[string]string{}
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return nil, err
		}
		cursors[name] = value
	}
	return cursors, rows.Err()
}

// Pending implements chat.Outbox.
func (s *Store) Pending(_ context.Context, k chat.Key) ([]chat.Part, error) {
	rows, err := s.query(`SELECT id, body, nonce, preview, state, unknown, not_before, at FROM outbox
		WHERE platform = ? AND channel = ? AND thread = ? AND state IN ('ready', 'started') ORDER BY id`,
		k.Platform, k.Channel, k.Thread)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var parts []chat.Part
	for rows.Next() {
		var (
			p                      chat.Part
			row                    int64
			body, nonce, prev, sta string
			until, at              string
		)
		if err := rows.Scan(&row, &body, &nonce, &prev, &sta, &p.Unknown, &until, &at); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(body), &p); err != nil {
			return nil, fmt.Errorf("outbox row %d: %w", row, err)
		}
		p.Row, p.Key, p.Nonce, p.Preview = row, k, nonce, prev
		p.Started, p.NotBefore = sta == string(chat.PartStarted), ParseStamp(until)
		p.At = ParseStamp(at)
		parts = append(parts, p)
	}
	return parts, rows.Err()
}

// WaitingParts counts the parts that are not sent.
func (s *Store) WaitingParts(context.Context) (n int, err error) {
	err = s.queryRow("SELECT count(*) FROM outbox WHERE state IN ('ready', 'started')").Scan(&n)
	return n, during("count waiting parts", err)
}

// Mark implements chat.Outbox. What was sent keeps its ids and loses its text:
// the transcript has that.
func (s *Store) Mark(ctx context.Context, p chat.Part, state chat.PartState, id string, until time.Time) error {
	return s.write(ctx, func(tx *Tx) error {
		if state == chat.PartReady || state == chat.PartStarted {
			_, err := tx.Exec("UPDATE outbox SET state = ?, not_before = ?, attempts = attempts + 1 WHERE id = ?", string(state), Stamp(until), p.Row)
			return err
		}
		_, err := tx.Exec("UPDATE outbox SET state = ?, platform_id = ?, body = '' WHERE id = ?", string(state), id, p.Row)
		return err
	})
}

// Previewed implements chat.Outbox.
func (s *Store) Previewed(ctx context.Context, m chat.Message, id string) error {
	return s.write(ctx, func(tx *Tx) error {
		_, err := tx.Exec("UPDATE inbox SET preview = ? WHERE id = ?", id, m.Row)
		return err
	})
}

// Move implements chat.Outbox.
func (s *Store) Move(ctx context.Context, mv chat.Move) error {
	return s.write(ctx, func(tx *Tx) error { return move(tx, mv) })
}

// moved lists the tables that are addressed by conversation.
var moved = []string{"inbox", "outbox", "sessions", "messages", "decisions", "participants", "reminders"}

// movedWhole lists those that know channels and no threads.
var movedWhole = []string{"key_facts", "tasks", "log_entries"}

// move re-addresses whole channels: a thread of the old channel becomes the
// same thread of the new one, unless only one thread is named.
func move(tx *Tx, mv chat.Move) error {
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
