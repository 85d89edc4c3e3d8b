package importer

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"parley/internal/chat"
)

// maxLine limits the bytes of one line, and of one message.
const maxLine = 8 << 20

// idTime is the format of the time in the ID of a message that came without one. It must
// never change: it identifies what was imported before.
const idTime = "2006-01-02T15:04:05.000Z"

// line is one JSON line. IDs may be numbers.
type line struct {
	Platform string  `json:"platform"`
	Channel  loose   `json:"channel"`
	Thread   loose   `json:"thread"`
	User     loose   `json:"user"`
	Name     string  `json:"name"`
	Text     *string `json:"text"`
	At       loose   `json:"at"`
	ID       loose   `json:"id"`
	Role     string  `json:"role"`
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

func readLines(in *bufio.Reader, each func(Message) error) error {
	for n := 1; ; n++ {
		raw, err := in.ReadSlice('\n')
		var long []byte
		for errors.Is(err, bufio.ErrBufferFull) && len(long) < maxLine {
			long = append(long, raw...)
			raw, err = in.ReadSlice('\n')
		}
		if long != nil {
			raw = append(long, raw...)
		}
		if len(raw) >= maxLine {
			return fmt.Errorf("line %d: longer than %d MiB", n, maxLine>>20)
		}
		if text := bytes.TrimSpace(bytes.TrimPrefix(raw, []byte("\ufeff"))); len(text) > 0 {
			m, merr := readLine(text)
			if merr != nil {
				return fmt.Errorf("line %d: %w", n, merr)
			}
			if err := each(m); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
}

func readLine(text []byte) (Message, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return Message{}, fmt.Errorf("not a message: %w", err)
	}
	at, err := moment(string(l.At))
	switch {
	case l.Platform == "" || strings.ContainsAny(l.Platform, ":/ \n"):
		return Message{}, errors.New(`"platform" is missing or not a plain word`)
	case l.User == "":
		return Message{}, errors.New(`"user" is missing`)
	case l.Text == nil:
		return Message{}, errors.New(`"text" is missing`)
	case l.Role != "" && l.Role != "user" && l.Role != "assistant":
		return Message{}, errors.New(`"role" is neither "user" nor "assistant"`)
	case err != nil:
		return Message{}, fmt.Errorf(`"at": %w`, err)
	}
	if l.Channel == "" {
		l.Channel = "default"
	}
	m := Message{
		Key:  chat.Key{Platform: l.Platform, Channel: string(l.Channel), Thread: string(l.Thread)},
		User: chat.User{ID: scoped(l.Platform, string(l.User)), Name: l.Name}, Text: readable(*l.Text), ID: string(l.ID), At: at,
		Bot: l.Role == "assistant",
	}
	return m.complete(), nil
}

func scoped(platform, user string) string {
	if strings.HasPrefix(user, platform+":") {
		return user
	}
	return platform + ":" + user
}

// readable removes bytes that are not text.
func readable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}

// complete fills in a missing name, text or ID. The ID is the same at every import.
func (m Message) complete() Message {
	if m.User.Name == "" {
		_, m.User.Name, _ = strings.Cut(m.User.ID, ":")
	}
	if m.Text == "" {
		m.Text = "(no text)"
	}
	if m.ID == "" {
		sum := sha256.Sum256([]byte(m.User.ID + "|" + m.At.UTC().Format(idTime) + "|" + m.Text))
		m.ID = "import:" + hex.EncodeToString(sum[:8])
	}
	return m
}

// moment reads a time in the forms of exports: RFC 3339, perhaps without a zone (then UTC)
// or with a space for the T, a date alone, or Unix seconds or milliseconds.
func moment(s string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00",
		"2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"} {
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
