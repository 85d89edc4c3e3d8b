package memory

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/provenance"
	"parley/internal/recall"
	"parley/internal/sqlite"
	"parley/internal/text"
)

// Imported counts what an import brought in.
type Imported struct{ Messages, Known, Sessions int }

// maxImportLine bounds one line, in bytes.
const maxImportLine = 8 << 20

// old is one message of an older conversation.
type old struct {
	via      Via
	key      chat.Key
	user     chat.User
	text, id string
	at       time.Time
}

// Import brings older conversations in: JSON lines, or Telegram Desktop's
// result.json. All of it is stored, or nothing: an error names the line.
// Importing the same again changes nothing. Imported sessions are archived and
// have no end of their own, so retention leaves them alone.
func (s *Store) Import(ctx context.Context, r io.Reader) (Imported, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	var (
		list []old
		err  error
	)
	if telegramExport(in) {
		list, err = readTelegram(in)
	} else {
		list, err = readLines(in)
	}
	if err != nil {
		return Imported{}, err
	}
	slices.SortStableFunc(list, func(a, b old) int {
		return cmp.Or(cmp.Compare(a.key.Platform, b.key.Platform), cmp.Compare(a.key.Channel, b.key.Channel), cmp.Compare(a.key.Thread, b.key.Thread), a.at.Compare(b.at))
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
	if _, err := tx.Exec("INSERT INTO messages_fts (rowid, content) SELECT id, content FROM messages WHERE id > ? AND role <> 'tool'", last); err != nil {
		return err
	}
	_, err := tx.Exec(trigger)
	return err
}

// insertOld stores sorted messages, a session between each two long silences.
func insertOld(tx *sqlite.Tx, list []old, done *Imported) error {
	var session string
	for i, m := range list {
		if i == 0 || list[i-1].key != m.key || m.at.Sub(list[i-1].at) > recall.SessionGap {
			session = uuid.NewSHA1(uuid.NameSpaceOID, []byte(m.key.String()+"|"+m.id)).String()
			end := i
			for end+1 < len(list) && list[end+1].key == m.key && list[end+1].at.Sub(list[end].at) <= recall.SessionGap {
				end++
			}
			res, err := tx.Exec(`INSERT INTO sessions (id, platform, channel, thread, status, created_at, last_activity, expires_at, title)
				VALUES (?, ?, ?, ?, 'archived', ?, ?, ?, ?) ON CONFLICT DO NOTHING`, session, m.key.Platform, m.key.Channel, m.key.Thread,
				Stamp(m.at), Stamp(list[end].at), Stamp(list[end].at), firstWords(m.text))
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
			sqlite.Named{"session": session, "platform": m.key.Platform, "channel": m.key.Channel, "thread": m.key.Thread, "id": m.id,
				"user": m.user.ID, "name": m.user.Name, "text": m.text,
				"tokens": llm.EstimateTokens(llm.Message{Content: m.text}), "at": Stamp(m.at), "via": int(max(m.via, provenance.ViaTyped))})
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

// line is one JSON line. Ids are often numbers; they are taken as written.
type line struct {
	Platform string  `json:"platform"`
	Channel  loose   `json:"channel"`
	Thread   loose   `json:"thread"`
	User     loose   `json:"user"`
	Name     string  `json:"name"`
	Text     *string `json:"text"`
	At       loose   `json:"at"`
	ID       loose   `json:"id"`
}

// loose is a JSON string or number, as text.
type loose string

// UnmarshalJSON implements json.Unmarshaler.
func (l *loose) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*l = loose(s)
		return nil
	}
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil {
		return errors.New("must be text or a number")
	}
	*l = loose(n)
	return nil
}

func readLines(in *bufio.Reader) (list []old, err error) {
	for n := 1; ; n++ {
		raw, err := in.ReadSlice('\n')
		var long []byte
		for errors.Is(err, bufio.ErrBufferFull) && len(long) < maxImportLine {
			long = append(long, raw...)
			raw, err = in.ReadSlice('\n')
		}
		if long != nil {
			raw = append(long, raw...)
		}
		if len(raw) >= maxImportLine {
			return nil, fmt.Errorf("line %d: longer than %d MiB", n, maxImportLine>>20)
		}
		if text := bytes.TrimSpace(bytes.TrimPrefix(raw, []byte("\ufeff"))); len(text) > 0 {
			m, merr := readLine(text)
			if merr != nil {
				return nil, fmt.Errorf("line %d: %w", n, merr)
			}
			list = append(list, m)
		}
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
}

func readLine(text []byte) (old, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return old{}, fmt.Errorf("not a message: %w", err)
	}
	at, err := moment(string(l.At))
	switch {
	case l.Platform == "" || strings.ContainsAny(l.Platform, ":/ \n"):
		return old{}, errors.New(`"platform" is missing or not a plain word`)
	case l.User == "":
		return old{}, errors.New(`"user" is missing`)
	case l.Text == nil:
		return old{}, errors.New(`"text" is missing`)
	case err != nil:
		return old{}, fmt.Errorf(`"at": %w`, err)
	}
	if l.Channel == "" {
		l.Channel = "default"
	}
	m := old{
		key:  chat.Key{Platform: l.Platform, Channel: string(l.Channel), Thread: string(l.Thread)},
		user: chat.User{ID: scoped(l.Platform, string(l.User)), Name: l.Name}, text: readable(*l.Text), id: string(l.ID), at: at,
	}
	return m.complete(), nil
}

func scoped(platform, user string) string {
	if strings.HasPrefix(user, platform+":") {
		return user
	}
	return platform + ":" + user
}

// readable drops what is not text.
func readable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}

// complete fills in what a message came without: a name, and an id that is the
// same at every import.
func (m old) complete() old {
	if m.user.Name == "" {
		_, m.user.Name, _ = strings.Cut(m.user.ID, ":")
	}
	if m.text == "" {
		m.text = "(no text)"
	}
	if m.id == "" {
		sum := sha256.Sum256([]byte(m.user.ID + "|" + Stamp(m.at) + "|" + m.text))
		m.id = "import:" + hex.EncodeToString(sum[:8])
	}
	return m
}

// moment reads a time as exports write it: RFC 3339 with or without a zone (UTC
// then), a space for the T, a date alone, or Unix seconds or milliseconds.
func moment(s string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	var n int64
	if _, err := fmt.Sscanf(s, "%d", &n); err == nil && n > 1e8 && strings.Trim(s, "0123456789.") == "" {
		if n > 1e11 {
			return time.UnixMilli(n), nil
		}
		return time.Unix(n, 0), nil
	}
	return time.Time{}, fmt.Errorf("%q is not a time such as 2026-03-02T10:00:00Z", s)
}

// telegramExport looks at the beginning for what only Telegram Desktop writes:
// one object over many lines.
func telegramExport(in *bufio.Reader) bool {
	head, _ := in.Peek(4096) // less is fine
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff")))
	first, _, _ := bytes.Cut(head, []byte("\n"))
	return bytes.HasPrefix(head, []byte("{")) && !json.Valid(bytes.TrimSpace(first)) &&
		(bytes.Contains(head, []byte(`"messages"`)) || bytes.Contains(head, []byte(`"chats"`)) || bytes.Contains(head, []byte(`"about"`)))
}

// telegramChat is one chat of result.json.
type telegramChat struct {
	ID       loose `json:"id"`
	Messages []struct {
		ID     loose           `json:"id"`
		Type   string          `json:"type"`
		Date   string          `json:"date"`
		Unix   loose           `json:"date_unixtime"`
		From   string          `json:"from"`
		FromID loose           `json:"from_id"`
		Origin string          `json:"forwarded_from"`
		Text   json.RawMessage `json:"text"`
	} `json:"messages"`
}

func readTelegram(in io.Reader) (list []old, err error) {
	var export struct {
		telegramChat
		Chats struct {
			List []telegramChat `json:"list"`
		} `json:"chats"`
	}
	if err := json.NewDecoder(in).Decode(&export); err != nil {
		return nil, fmt.Errorf("read Telegram export: %w", err)
	}
	for _, c := range append(export.Chats.List, export.telegramChat) {
		for _, m := range c.Messages {
			text, via := telegramText(m.Text), provenance.ViaTyped
			if m.Type != "message" || text == "" || m.FromID == "" {
				continue
			}
			at, err := moment(cmp.Or(string(m.Unix), m.Date))
			if err != nil {
				return nil, fmt.Errorf("message %s: date: %w", m.ID, err)
			}
			if m.Origin != "" {
				via = provenance.ViaForwarded
			}
			user := strings.TrimPrefix(strings.TrimPrefix(string(m.FromID), "user"), "channel")
			list = append(list, old{key: chat.Key{Platform: "telegram", Channel: string(c.ID)}, text: readable(text), id: string(m.ID), at: at, via: via,
				user: chat.User{ID: "telegram:" + user, Name: m.From}}.complete())
		}
	}
	return list, nil
}

// telegramText joins the pieces of a formatted text.
func telegramText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var pieces []json.RawMessage
	_ = json.Unmarshal(raw, &pieces) // neither form: no text
	var b strings.Builder
	for _, p := range pieces {
		var plain string
		var piece struct{ Text string }
		if json.Unmarshal(p, &plain) == nil {
			b.WriteString(plain)
		} else if json.Unmarshal(p, &piece) == nil {
			b.WriteString(piece.Text)
		}
	}
	return b.String()
}
