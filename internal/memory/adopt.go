package memory

import (
	"context"
	"encoding/json"
	"math"
	"slices"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// Left implements chat.Adopter.
func (s *Store) Left(context.Context) ([]chat.Key, error) {
	keys, err := engine.Select(s.db, scanKey,
		`SELECT DISTINCT platform, channel, thread FROM (SELECT platform, channel, thread FROM inbox INDEXED BY inbox_open WHERE state = 'new') waiting
		UNION SELECT platform, channel, thread FROM outbox WHERE state IN ('ready', 'started')`)
	return keys, during("list what is left", err)
}

func scanKey(r engine.Scanner) (k chat.Key, err error) {
	err = r.Scan(&k.Platform, &k.Channel, &k.Thread)
	return k, err
}

// Adopt implements chat.Adopter. The conversations are this process's already: nobody else
// changes what it reads of them.
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
	list, bad, err := s.unfinished(s.db, []int64{0, math.MaxInt64}, func(_ int64, k chat.Key) bool { return named[k] })
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
			list, bad, err = s.unfinished(tx, m.Rows, func(row int64, _ chat.Key) bool { return slices.Contains(m.Rows, row) })
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
	first := map[chat.Key]int64{}
	_, err := engine.Select(tx, func(r engine.Scanner) (k chat.Key, err error) {
		var id int64
		err = r.Scan(&id, &k.Platform, &k.Channel, &k.Thread)
		first[k] = id
		return k, err
	}, "SELECT id, platform, channel, thread FROM inbox WHERE state = 'new' ORDER BY id DESC")
	return first, err
}

// unfinished reads the wanted messages that wait for an answer, oldest first, from the rows
// between the least and the greatest of some. unreadable ones must be put aside: they must not
// keep the bot from starting.
func (s *Store) unfinished(q engine.Querier, among []int64, wanted func(row int64, k chat.Key) bool) (messages []chat.Message,
	unreadable []unread, err error) {
	_, err = engine.Select(q, func(r engine.Scanner) (row int64, err error) {
		var (
			m                      chat.Message
			k                      chat.Key // the row's: the body's is from before a move
			id, body, preview, uid string
			attempt                int
		)
		err = r.Scan(&row, &k.Platform, &k.Channel, &k.Thread, &id, &body, &attempt, &preview, &uid, &m.Begun)
		if err != nil || !wanted(row, k) {
			return row, err
		}
		if err := json.Unmarshal([]byte(body), &m); err != nil {
			unreadable = append(unreadable, unread{row, k.Platform, chat.DeadLetter{ID: k.String() + "|" + id, Raw: []byte(body),
				Reason: "the stored message cannot be read: " + err.Error()}})
			return row, nil
		}
		m.Row, m.Key, m.Preview, m.Attempt, m.UID, m.Nonce = row, k, preview, attempt, uid, s.answerNonce(uid, 0)
		messages = append(messages, m)
		return row, nil
	}, "SELECT id, platform, channel, thread, message_id, body, attempt, preview, uid, EXISTS (SELECT 1 "+
		"FROM steps WHERE inbox_id = inbox.id) FROM inbox WHERE state = 'new' AND id BETWEEN ? AND ? ORDER BY id",
		slices.Min(among), slices.Max(among))
	return messages, unreadable, err
}
