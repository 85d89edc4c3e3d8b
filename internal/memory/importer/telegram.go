package importer

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"parley/internal/chat"
	"parley/internal/memory/provenance"
)

// telegramExport reports whether the input begins like an export of Telegram Desktop: one
// object over many lines.
func telegramExport(in *bufio.Reader) bool {
	head, _ := in.Peek(4096) // a shorter file is fine
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff")))
	first, _, _ := bytes.Cut(head, []byte("\n"))
	return bytes.HasPrefix(head, []byte("{")) && !json.Valid(bytes.TrimSpace(first)) &&
		(bytes.Contains(head, []byte(`"messages"`)) || bytes.Contains(head, []byte(`"chats"`)) || bytes.Contains(head, []byte(`"about"`)))
}

// telegramMessage is one message of a chat of result.json.
type telegramMessage struct {
	ID     loose           `json:"id"`
	Type   string          `json:"type"`
	Date   string          `json:"date"`
	Unix   loose           `json:"date_unixtime"`
	From   string          `json:"from"`
	FromID loose           `json:"from_id"`
	Origin string          `json:"forwarded_from"`
	Text   json.RawMessage `json:"text"`
}

// telegramReader reads result.json piece by piece.
type telegramReader struct {
	*pieces
	each func(Message) error
}

// telegramChat is what stands before the messages of a chat.
type telegramChat struct {
	id, kind loose
	begun    bool // its messages were read
}

// botChat is the kind of a chat with a bot, which has the chat's id.
const botChat = "bot_chat"

func readTelegram(r io.Reader, each func(Message) error) error {
	t := &telegramReader{newPieces(r, "Telegram export"), each}
	var alone telegramChat
	err := t.object(func(name string) error {
		if name != "chats" {
			return t.chatField(&alone, name)
		}
		return t.object(func(name string) error {
			if name != "list" {
				return t.skip()
			}
			return t.list(func() error {
				var c telegramChat
				return t.object(func(name string) error { return t.chatField(&c, name) })
			})
		})
	})
	if err == nil {
		err = t.end()
	}
	return err
}

// chatField reads a field of a chat. What the messages depend on must stand before them: they
// are not held until it is known.
func (t *telegramReader) chatField(c *telegramChat, name string) error {
	into := map[string]*loose{"id": &c.id, "type": &c.kind}[name]
	switch {
	case name == "messages":
		c.begun = true
		return t.list(func() error { return t.message(*c) })
	case into == nil:
		return t.skip()
	}
	if err := t.dec.Decode(into); err != nil {
		return t.wrong(fmt.Errorf("%s: %w", name, err))
	}
	if c.begun && (name == "id" || *into == botChat) {
		return t.wrong(fmt.Errorf("%q of a chat must stand before its messages", name))
	}
	return nil
}

// message reads one message. Of a chat with a bot it knows who the assistant is.
func (t *telegramReader) message(c telegramChat) error {
	var m telegramMessage
	if err := t.dec.Decode(&m); err != nil {
		return t.wrong(err)
	}
	t.last = string(m.ID)
	text, via := telegramText(m.Text), provenance.ViaTyped
	if m.Type != "message" || text == "" || m.FromID == "" {
		return nil
	}
	at, err := moment(cmp.Or(string(m.Unix), m.Date))
	if err != nil {
		return fmt.Errorf("message %s: date: %w", m.ID, err)
	}
	if c.id == "" {
		return fmt.Errorf("message %s: its chat has no id before it", m.ID)
	}
	if m.Origin != "" {
		via = provenance.ViaForwarded
	}
	user := strings.TrimPrefix(strings.TrimPrefix(string(m.FromID), "user"), "channel")
	return t.each(Message{Key: chat.Key{Platform: "telegram", Channel: string(c.id)}, Text: readable(text),
		ID: string(m.ID), At: at, Via: via, Bot: c.kind == botChat && user == string(c.id),
		User: chat.User{ID: "telegram:" + user, Name: m.From}}.complete())
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
