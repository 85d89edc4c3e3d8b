package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"math"
	"slices"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// Left implements chat.Adopter.
func (s *Store) Left(context.Context) ([]chat.Key, error) {
	rows, err := s.db.Query(
		`SELECT DISTINCT platform, channel, thread FROM (SELECT platform, channel, thread FROM inbox INDEXED BY inbox_open WHERE state = 'new') waiting
		UNION SELECT platform, channel, thread FROM outbox WHERE state IN ('ready', 'started')`)
	if err != nil {
		return nil, during("list what is left", err)
	}
	keys, err := engine.Collect(rows, scanKey)
	return keys, during("list what is left", err)
}

func scanKey(r *sql.Rows) (k chat.Key, err error) {
	return k, r.Scan(&k.Platform, &k.Channel, &k.Thread)
}

// Adopt implements chat.Adopter. The conversations are this process's already, so what it
// reads of them nobody else changes.
func (s *Store) Adopt(ctx context.Context, keys []chat.Key) ([]chat.Message, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	err := s.db.Held().Write(ctx, func(tx *engine.Tx) error {
		heads, err := heads(tx)
		if err != nil {
			return err
		}
		for _, k := range keys {
			if _, err := tx.Exec(`UPDATE outbox SET state = 'ready', unknown = unknown + 1
				WHERE platform = ? AND channel = ? AND thread = ? AND state IN ('ready', 'started') AND state = 'started'`, k.Platform, k.Channel, k.Thread); err != nil {
				return err
			}
			if _, err := tx.Exec("UPDATE inbox SET attempt = attempt + 1 WHERE id = ? AND state = 'new'", heads[k]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, during("adopt", err)
	}
	named := map[chat.Key]bool{}
	for _, k := range keys {
		named[k] = true
	}
	list, bad, err := s.unfinished(s.db.Query, []int64{0, math.MaxInt64}, func(_ int64, k chat.Key) bool { return named[k] })
	if err == nil && len(bad) > 0 {
		err = s.Letters.setAside(ctx, bad)
	}
	return list, during("adopt", err)
}

// Mail returns what other processes stored for this one: messages, oldest first, and
// conversations in which parts wait to be sent.
func (s *Store) Mail(ctx context.Context) (list []chat.Message, flush []chat.Key, err error) {
	var bad []unread
	err = s.db.Held().Write(ctx, func(tx *engine.Tx) error {
		m, err := s.Lanes.Take(tx)
		list, bad, flush = nil, nil, m.Flush
		if err == nil && len(m.Rows) > 0 {
			list, bad, err = s.unfinished(tx.Query, m.Rows, func(row int64, _ chat.Key) bool { return slices.Contains(m.Rows, row) })
		}
		return err
	})
	if err == nil && len(bad) > 0 {
		err = s.Letters.setAside(ctx, bad)
	}
	return list, flush, during("read what others stored", err)
}

// heads returns the first message of each conversation that waits.
func heads(tx *engine.Tx) (map[chat.Key]int64, error) {
	rows, err := tx.Query("SELECT id, platform, channel, thread FROM inbox WHERE state = 'new' ORDER BY id DESC")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	first := map[chat.Key]int64{}
	for rows.Next() {
		var k chat.Key
		var id int64
		if err := rows.Scan(&id, &k.Platform, &k.Channel, &k.Thread); err != nil {
			return nil, err
		}
		first[k] = id
	}
	return first, rows.Err()
}

// unfinished reads those messages that wait for an answer which are wanted, oldest first, among all rows between
// some. Those that cannot be read any more are to be put aside: they must not keep the bot from starting.
func (s *Store) unfinished(query func(string, ...any) (*sql.Rows, error), among []int64, wanted func(row int64,
	k chat.Key) bool) (messages []chat.Message, unreadable []unread, err error) {
	rows, err := query("SELECT id, platform, channel, thread, message_id, body, attempt, preview, uid, EXISTS (SELECT 1 "+
		"FROM steps WHERE inbox_id = inbox.id) FROM inbox WHERE state = 'new' AND id BETWEEN ? AND ? ORDER BY id",
		slices.Min(among), slices.Max(among))
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var (
			m                      chat.Message
			k                      chat.Key // the row's: the body's is from before a move
			row                    int64
			id, body, preview, uid string
			attempt                int
		)
		if err := rows.Scan(&row, &k.Platform, &k.Channel, &k.Thread, &id, &body, &attempt, &preview, &uid, &m.Begun); err != nil {
			return nil, nil, err
		}
		if !wanted(row, k) {
			continue
		}
		if err := json.Unmarshal([]byte(body), &m); err != nil {
			unreadable = append(unreadable, unread{row, k.Platform, chat.DeadLetter{ID: k.String() + "|" + id, Raw: []byte(body),
				Reason: "the stored message cannot be read: " + err.Error()}})
			continue
		}
		m.Row, m.Key, m.Preview, m.Attempt, m.UID, m.Nonce = row, k, preview, attempt, uid, s.answerNonce(uid, 0)
		messages = append(messages, m)
	}
	return messages, unreadable, rows.Err()
}
