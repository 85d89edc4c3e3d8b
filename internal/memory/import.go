package memory

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/uuid"

	"parley/internal/chatlog"
	"parley/internal/llm"
	"parley/internal/provenance"
	"parley/internal/recall"
	"parley/internal/sqlite"
	"parley/internal/text"
)

// Imported counts what an import brought in.
type Imported struct{ Messages, Known, Sessions int }

// Import brings older conversations in: JSON lines, or Telegram Desktop's
// result.json. All of it is stored, or nothing: an error names the line.
// Importing the same again changes nothing. Imported sessions are archived and
// have no end of their own, so retention leaves them alone.
func (s *Store) Import(ctx context.Context, r io.Reader) (Imported, error) {
	list, err := chatlog.Read(r)
	if err != nil {
		return Imported{}, err
	}
	slices.SortStableFunc(list, func(a, b chatlog.Message) int {
		return cmp.Or(cmp.Compare(a.Key.Platform, b.Key.Platform), cmp.Compare(a.Key.Channel, b.Key.Channel), cmp.Compare(a.Key.Thread, b.Key.Thread), a.At.Compare(b.At))
	})
	var done Imported
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		done = Imported{}
		return indexedAtOnce(tx, func() error { return insertOld(tx, list, &done) })
	})
	return done, err
}

// indexedAtOnce runs insert with the full-text trigger away and indexes what is
// new in one statement: row by row the index is written out after each of them,
// which takes most of an import.
func indexedAtOnce(tx *sqlite.Tx, insert func() error) error {
	var last int64
	var trigger string
	if err := tx.QueryRow("SELECT coalesce(max(id), 0) FROM messages").Scan(&last); err != nil {
		return err
	}
	if err := tx.QueryRow("SELECT sql FROM sqlite_master WHERE name = 'messages_fts_insert'").Scan(&trigger); err != nil {
		return err
	}
	if _, err := tx.Exec("DROP TRIGGER messages_fts_insert"); err != nil {
		return err
	}
	if err := insert(); err != nil {
		return err
	}
	if _, err := tx.Exec("INSERT INTO messages_fts (rowid, words) SELECT row, words FROM messages_said WHERE id > ? ORDER BY id", last); err != nil {
		return err
	}
	_, err := tx.Exec(trigger)
	return err
}

// insertOld stores sorted messages, a session between each two long silences.
func insertOld(tx *sqlite.Tx, list []chatlog.Message, done *Imported) error {
	var session string
	for i, m := range list {
		if i == 0 || list[i-1].Key != m.Key || m.At.Sub(list[i-1].At) > recall.SessionGap {
			session = uuid.NewSHA1(uuid.NameSpaceOID, []byte(m.Key.String()+"|"+m.ID)).String()
			end := i
			for end+1 < len(list) && list[end+1].Key == m.Key && list[end+1].At.Sub(list[end].At) <= recall.SessionGap {
				end++
			}
			res, err := tx.Exec(`INSERT INTO sessions (id, platform, channel, thread, status, created_at, last_activity, expires_at, title)
				VALUES (?, ?, ?, ?, 'archived', ?, ?, ?, ?) ON CONFLICT DO NOTHING`, session, m.Key.Platform, m.Key.Channel, m.Key.Thread,
				Stamp(m.At), Stamp(list[end].At), Stamp(list[end].At), firstWords(m.Text))
			if err != nil {
				return fmt.Errorf("import: %w", err)
			}
			if n, _ := res.RowsAffected(); n > 0 {
				done.Sessions++
			}
		}
		res, err := tx.Exec(`INSERT INTO messages (session_id, platform, channel, thread, message_id, role, user_id, name, content, tokens, at, via)
			SELECT :session, :platform, :channel, :thread, :id, 'user', :user, :name, :text, :tokens, :at, :via WHERE NOT EXISTS
			(SELECT 1 FROM messages WHERE platform = :platform AND channel = :channel AND thread = :thread AND message_id = :id AND message_id <> '')`,
			sqlite.Named{"session": session, "platform": m.Key.Platform, "channel": m.Key.Channel, "thread": m.Key.Thread, "id": m.ID,
				"user": m.User.ID, "name": m.User.Name, "text": m.Text,
				"tokens": llm.EstimateTokens(llm.Message{Content: m.Text}), "at": Stamp(m.At), "via": int(max(m.Via, provenance.ViaTyped))})
		if err != nil {
			return fmt.Errorf("import: %w", err)
		}
		if n, _ := res.RowsAffected(); n > 0 {
			done.Messages++
		} else {
			done.Known++
		}
	}
	return nil
}

func firstWords(s string) string {
	return text.Clip(strings.Join(strings.Fields(s), " "), 50)
}
