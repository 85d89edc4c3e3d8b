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

func readTelegram(in io.Reader) (list []Message, err error) {
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
			list = append(list, Message{Key: chat.Key{Platform: "telegram", Channel: string(c.ID)}, Text: readable(text),
				ID: string(m.ID), At: at, Via: via,
				User: chat.User{ID: "telegram:" + user, Name: m.From}}.complete())
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
