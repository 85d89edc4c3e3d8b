package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"parley/internal/chat"
	"parley/internal/db/chunked"
	"parley/internal/db/engine"
	"parley/internal/llm"
	"parley/internal/memory/cluster/lanes"
	"parley/internal/memory/importer"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/ranking"
)

// Imported counts what an import brought in.
type Imported struct{ Messages, Known, Sessions int }

// Import reads older conversations: JSON lines, or Telegram Desktop's result.json. It reads
// everything before it stores anything; an error names the line. It stores in chunks beside
// other writes, even of another process. Repeating an import completes what was cut short and
// changes nothing else. Imported sessions are archived without an end time, so retention
// leaves them alone.
func (s *Store) Import(ctx context.Context, r io.Reader) (done Imported, err error) {
	list, err := importer.Read(r)
	if err != nil {
		return done, err
	}
	slices.SortStableFunc(list, func(a, b importer.Message) int {
		return cmp.Or(cmp.Compare(a.Key.Platform, b.Key.Platform), cmp.Compare(a.Key.Channel, b.Key.Channel),
			cmp.Compare(a.Key.Thread, b.Key.Thread), a.At.Compare(b.At))
	})
	answering(list)
	sittings := sit(list)
	_, err = chunked.Each(ctx, s.db, sittings, func(tx *engine.Tx, st sitting) error { return st.store(tx, &done) })
	done.Known = len(list) - done.Messages
	if err == nil && done.Messages >= 10*storedAtOnce {
		err = s.db.Survey(ctx)
	}
	return done, during("import", err)
}

// storedAtOnce is how many messages are stored with one statement: the index is
// written out after each, and it may take a few milliseconds.
const storedAtOnce = 100

// answering makes the words of assistants those to the person they answered, who spoke
// before them, or spoke first.
func answering(list []importer.Message) {
	for i := range list {
		if !list[i].Bot {
			continue
		}
		whom := chat.User{}
		if i > 0 && list[i-1].Key == list[i].Key {
			whom = list[i-1].User // of another answer it is known by now
		}
		for j := i + 1; whom.ID == "" && j < len(list) && list[j].Key == list[i].Key; j++ {
			if !list[j].Bot {
				whom = list[j].User
			}
		}
		list[i].User = chat.User{ID: whom.ID}
	}
}

// sitting is a part of an old session, between two long silences.
type sitting struct {
	session, title string
	began, ended   time.Time // of the session
	said           []importer.Message
}

// sit cuts sorted messages into sessions, and these into parts. A message that is
// there twice is left out.
func sit(list []importer.Message) (all []sitting) {
	seen := make(map[lanes.Identity]bool, len(list))
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].Key == list[0].Key && list[n].At.Sub(list[n-1].At) <= ranking.SessionGap {
			n++
		}
		first := list[0]
		st := sitting{began: first.At, ended: list[n-1].At, title: firstWords(first.Text),
			session: uuid.NewSHA1(uuid.NameSpaceOID, []byte(first.Key.String()+"|"+first.ID)).String()}
		for _, m := range list[:n] {
			if who := (lanes.Identity{Key: m.Key, ID: m.ID}); m.ID == "" || !seen[who] {
				seen[who] = true
				st.said = append(st.said, m)
			}
		}
		for part := range slices.Chunk(st.said, storedAtOnce) {
			some := st
			some.said = part
			all = append(all, some)
		}
		list = list[n:]
	}
	return all
}

// store adds what is not known yet.
func (st sitting) store(tx *engine.Tx, done *Imported) error {
	k := st.said[0].Key
	var sessions, messages int64
	err := tx.Count(&sessions, `INSERT INTO sessions (id, platform, channel, thread, status, created_at, last_activity, expires_at, title)
		VALUES (?, ?, ?, ?, 'archived', ?, ?, ?, ?) ON CONFLICT DO NOTHING`, st.session, k.Platform, k.Channel, k.Thread,
		Stamp(st.began), Stamp(st.ended), Stamp(st.ended), st.title)
	if err != nil {
		return err
	}
	rows := make([][]any, len(st.said))
	for i, m := range st.said {
		role, name, via := "user", m.User.Name, max(m.Via, provenance.ViaTyped)
		if m.Bot {
			role, name, via = "assistant", "", 0
		}
		rows[i] = []any{m.ID, m.User.ID, name, m.Text, llm.EstimateTokens(llm.Message{Content: m.Text}), Stamp(m.At), int(via), role}
	}
	b, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	err = tx.Count(&messages,
		`INSERT INTO messages (session_id, platform, channel, thread, message_id, role, user_id, name, content, tokens, at, via)
		SELECT :session, :platform, :channel, :thread, value ->> 0, value ->> 7, value ->> 1, value ->> 2, value ->> 3, CAST(value ->> 4 AS BIGINT), value ->> 5, CAST(value ->> 6 AS BIGINT)
		FROM json_each(:rows) WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.platform = :platform AND m.channel = :channel AND m.thread = :thread
			AND m.message_id = value ->> 0 AND m.message_id <> '') ORDER BY key`,
		engine.Named{"session": st.session, "platform": k.Platform, "channel": k.Channel, "thread": k.Thread, "rows": string(b)})
	done.Sessions += int(sessions)
	done.Messages += int(messages)
	return err
}

func firstWords(s string) string {
	return text.Clip(strings.Join(strings.Fields(s), " "), 50)
}
