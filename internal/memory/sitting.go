package memory

import (
	"cmp"
	"encoding/json"
	"iter"
	"strings"
	"time"

	"github.com/google/uuid"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/llm"
	"parley/internal/memory/importer"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/ranking"
)

// What is stored with one statement: the index is written out after each, and it may take a
// few milliseconds.
const (
	storedAtOnce = 100     // messages
	bytesAtOnce  = 1 << 20 // of their text
)

// sitting is a part of an old session, between two long silences.
type sitting struct {
	key     chat.Key
	session string
	began   time.Time // of the session
	said    []importer.Message
	bytes   int   // of said
	upto    int64 // messages of the export until its end, those left out too

	// What became of it in its last attempt.
	messages, sessions, forgotten int64
}

// sit cuts sorted messages into sessions, and these into parts. A message that is twice in a
// part is left out; of the other parts the database knows.
func sit(list iter.Seq2[importer.Message, error]) iter.Seq2[*sitting, error] {
	return func(yield func(*sitting, error) bool) {
		var now *sitting
		var last time.Time
		var n int64
		seen := map[string]bool{}
		for m, err := range list {
			if err != nil {
				yield(nil, err)
				return
			}
			again := now == nil || now.key != m.Key || m.At.Sub(last) > ranking.SessionGap
			if again || len(now.said) == storedAtOnce || now.bytes >= bytesAtOnce {
				if now != nil && !yield(now, nil) {
					return
				}
				now = now.followed(m, again)
				clear(seen)
			}
			last, n = m.At, n+1
			if now.upto = n; m.ID == "" || !seen[m.ID] {
				seen[m.ID] = true
				now.said, now.bytes = append(now.said, m), now.bytes+len(m.Text)
			}
		}
		if now != nil {
			yield(now, nil)
		}
	}
}

// followed returns the part that begins with m, perhaps of a new session.
func (st *sitting) followed(m importer.Message, again bool) *sitting {
	if again {
		return &sitting{key: m.Key, began: m.At, session: uuid.NewSHA1(uuid.NameSpaceOID, []byte(m.Key.String()+"|"+m.ID)).String()}
	}
	return &sitting{key: st.key, began: st.began, session: st.session}
}

// store adds what is not known yet, but nothing of those who were forgotten since they said it.
func (st *sitting) store(tx *engine.Tx, gone *goneBefore) error {
	st.messages, st.sessions, st.forgotten = 0, 0, 0
	said, err := st.kept(tx, gone)
	if err != nil || len(said) == 0 {
		return err
	}
	k, ended := st.key, Stamp(said[len(said)-1].At)
	owner := said[0].Owner
	err = tx.Count(&st.sessions, `INSERT INTO sessions (id, platform, channel, thread, user_id, status, created_at, last_activity, expires_at, title)
		VALUES (?, ?, ?, ?, ?, 'archived', ?, ?, ?, ?) ON CONFLICT DO NOTHING`, st.session, k.Platform, k.Channel, k.Thread,
		owner, Stamp(st.began), ended, ended, firstWords(cmp.Or(said[0].Title, said[0].Text)))
	if err == nil && st.sessions == 0 {
		_, err = tx.Exec("UPDATE sessions SET last_activity = :ended, expires_at = :ended WHERE id = :session AND last_activity < :ended",
			engine.Named{"session": st.session, "ended": ended})
	}
	if err != nil {
		return err
	}
	rows := make([][]any, len(said))
	for i, m := range said {
		role, name, via := "user", m.User.Name, max(m.Via, provenance.ViaTyped)
		if m.Bot {
			role, name, via = "assistant", "", m.Via&^provenance.ViaTyped
		}
		rows[i] = []any{m.ID, m.User.ID, name, m.Text, llm.EstimateTokens(llm.Message{Content: m.Text}), Stamp(m.At), int(via), role}
	}
	b, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	// Written otherwise, PostgreSQL reads the whole place for each sitting, while it has no statistics.
	err = tx.Count(&st.messages, `WITH said AS MATERIALIZED (SELECT key AS n, value ->> 0 AS id, value AS fields FROM json_each(:rows))
		INSERT INTO messages (session_id, platform, channel, thread, message_id, role, user_id, name, content, tokens, at, via)
		SELECT :session, :platform, :channel, :thread, id, fields ->> 7, fields ->> 1, fields ->> 2, fields ->> 3, CAST(fields ->> 4 AS BIGINT), fields ->> 5, CAST(fields ->> 6 AS BIGINT)
		FROM said WHERE (SELECT 1 FROM messages m WHERE m.platform = :platform AND m.channel = :channel AND m.thread = :thread
			AND m.message_id = said.id AND m.message_id <> '' LIMIT 1) IS NULL ORDER BY n`,
		engine.Named{"session": st.session, "platform": k.Platform, "channel": k.Channel, "thread": k.Thread, "rows": string(b)})
	if err != nil || owner == "" {
		return err
	}
	// All of it is theirs to see, others' last words too.
	_, err = tx.Exec(`INSERT INTO participants (user_id, platform, channel, thread, last_id)
		SELECT :owner, :platform, :channel, :thread, coalesce(max(id), 0) FROM messages WHERE platform = :platform AND channel = :channel AND thread = :thread
		ON CONFLICT (user_id, platform, channel, thread) DO UPDATE SET last_id = excluded.last_id`,
		engine.Named{"owner": owner, "platform": k.Platform, "channel": k.Channel, "thread": k.Thread})
	return err
}

// kept returns what was not said, or answered, by or to somebody who was forgotten since.
func (st *sitting) kept(tx *engine.Tx, gone *goneBefore) ([]importer.Message, error) {
	if err := gone.look(tx); err != nil {
		return nil, err
	}
	said := make([]importer.Message, 0, len(st.said))
	for _, m := range st.said {
		at, err := gone.at(cmp.Or(m.Owner, m.User.ID))
		if err != nil {
			return nil, err
		}
		if Stamp(m.At) > at {
			said = append(said, m)
		}
	}
	st.forgotten = int64(len(st.said) - len(said))
	return said, nil
}

func firstWords(s string) string {
	return text.Clip(strings.Join(strings.Fields(s), " "), 50)
}
