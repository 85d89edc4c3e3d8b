package tape

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"parley/internal/engine"
	"parley/internal/llm"
)

// stored is the body of a call as it is stored. Each part of the request is a text, or
// the id of a piece.
type stored struct {
	Parts  []any        `json:"parts"`
	Answer string       `json:"answer,omitempty"`
	Reply  *llm.Message `json:"reply,omitempty"`
	Form   string       `json:"form,omitempty"`
}

// minPiece is how long a part of a request is that is stored once for all requests
// that have it, in bytes.
const minPiece = 256

// packer makes rows of calls. It is for one goroutine.
type packer struct{ squeeze *flate.Writer }

// packed is a call as its rows: the request in parts, each either text or the place
// of a piece.
type packed struct {
	call   Call
	parts  []string // "" where there is a piece
	pieces []piece  // by their places among parts
	answer string
	packer *packer
}

type piece struct {
	at   int
	hash []byte
	body []byte
}

func (p *packer) pack(c Call, request, answer string) (packed, error) {
	out := packed{call: c, answer: answer, packer: p}
	for i, part := range cut(request) {
		out.parts = append(out.parts, part)
		if len(part) < minPiece {
			continue
		}
		body, err := p.deflate(part)
		if err != nil {
			return out, err
		}
		hash := sha256.Sum256([]byte(part))
		out.parts[i], out.pieces = "", append(out.pieces, piece{i, hash[:16], body})
	}
	return out, nil
}

// cut cuts a request, which is a JSON object, around the elements of its lists:
// messages and tools. Together the parts are the request, whatever it is.
func cut(s string) (parts []string) {
	depth, quoted, from := 0, false, 0
	next := func(to int) {
		if to > from {
			parts, from = append(parts, s[from:to]), to
		}
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth == 2 {
				next(i)
			}
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 2 {
				next(i + 1)
			}
		}
	}
	next(len(s))
	return parts
}

// insert stores the rows. It may be called again when its transaction failed.
func (p packed) insert(tx *engine.Tx) error {
	parts := make([]any, len(p.parts))
	for i, s := range p.parts {
		parts[i] = s
	}
	ids := map[int64]bool{}
	for _, one := range p.pieces {
		var id int64
		err := tx.QueryRow("INSERT INTO pieces (hash, body) VALUES (?, ?) ON CONFLICT (hash) DO UPDATE SET hash = hash RETURNING id", one.hash, one.body).Scan(&id)
		if err != nil {
			return err
		}
		parts[one.at], ids[id] = id, true
	}
	whole, err := json.Marshal(stored{parts, p.answer, p.call.Reply, p.call.Form})
	if err != nil {
		return err
	}
	body, err := p.packer.deflate(string(whole))
	if err != nil {
		return err
	}
	c := p.call
	var id int64
	err = tx.QueryRow(`INSERT INTO calls (row, platform, channel, thread, user_id, purpose, model, began, took, error, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		c.Row, c.Key.Platform, c.Key.Channel, c.Key.Thread, c.User, c.Purpose, c.Model, engine.Stamp(c.Began), c.Took.Milliseconds(), c.Error, body).Scan(&id)
	for piece := range ids {
		if err == nil {
			_, err = tx.Exec("INSERT INTO uses VALUES (?, ?)", id, piece)
		}
	}
	return err
}

func (p *packer) deflate(s string) ([]byte, error) {
	var b bytes.Buffer
	if p.squeeze == nil {
		w, err := flate.NewWriter(&b, flate.DefaultCompression)
		if err != nil {
			return nil, err
		}
		p.squeeze = w
	}
	p.squeeze.Reset(&b)
	if _, err := io.WriteString(p.squeeze, s); err != nil {
		return nil, err
	}
	if err := p.squeeze.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func inflate(b []byte) (string, error) {
	var out strings.Builder
	_, err := io.Copy(&out, flate.NewReader(bytes.NewReader(b)))
	if err != nil {
		return "", fmt.Errorf("read a model call: %w", err)
	}
	return out.String(), nil
}
